"""Checks a model's statements against the words that it quotes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC

from everword.text.values.evidence import Evidence, find_values
from everword_compactor.compose.checks.guarded_composer import or_else
from everword_compactor.sleep.model import Quote, SessionMessage

_UNREADABLE = "cannot be checked"


def unsupported(
    text: str,
    quotes: Sequence[Quote],
    messages: Iterable[SessionMessage] = (),
    names: Sequence[str] = (),
) -> list[str]:
    """Return the values in a text that its quotes do not support: numbers, dates, names, identifiers.

    `messages` are the whole messages of the quotes, if they may support it as well; `names` are those of the people and
    agents who speak.
    """
    return or_else([_UNREADABLE], _missing, text, quotes, list(messages), names)


def _missing(
    text: str, quotes: Sequence[Quote], messages: Sequence[SessionMessage], names: Sequence[str]
) -> list[str]:
    known = Evidence(
        [*(quote.text for quote in quotes), *(message.content for message in messages)],
        [quote.said_at.astimezone(UTC) for quote in quotes],
        labels=list(names),
    )
    return [value.text for value in known.missing(find_values(text))]
