"""What the writer of a node is shown beside the sources, as far as it may say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword_compactor.compose.model import Draft


@dataclass(frozen=True)
class Shown:
    """The lines above the sources, and what the operator says."""

    #: What may be named as it is written: ids, titles, agents, channels, users. Their digits bear out no number.
    labels: Sequence[str] = ()
    #: What may be said.
    texts: Sequence[str] = ()
    message_count: int = 0

    @classmethod
    def of(cls, draft: Draft, instructions: str, *names: str) -> Shown:
        """Return what is shown with a draft; `names` are of the user, and how to refer to one."""
        labels = [str(draft.conversation_id or ""), draft.agent, draft.channel, *names]
        texts = [instructions]
        # A period says which days it is about; a title may be anything.
        (texts if draft.level.of_calendar else labels).append(draft.title)
        return cls(labels, texts, draft.message_count)
