"""The parts of a writer's prompt, other than the sources, that a node may repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from everword_compactor.compose.model import Draft


@dataclass(frozen=True)
class PromptContext:
    """The lines above the sources, and the operator's instructions."""

    #: Names that may be repeated verbatim: ids, titles, agents, channels, users. Their digits support no number.
    labels: Sequence[str] = ()
    #: Texts whose statements may be repeated.
    texts: Sequence[str] = ()
    message_count: int = 0

    @classmethod
    def of(cls, draft: Draft) -> PromptContext:
        """Return the prompt's other parts for a draft."""
        labels = [str(draft.conversation_id or ""), draft.agent, draft.channel, *draft.voice.labels]
        texts = [draft.instructions]
        # A period says which days it is about; a title may be anything.
        (texts if draft.level.of_calendar else labels).append(draft.title)
        return cls(labels, texts, draft.message_count)
