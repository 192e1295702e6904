"""Protected messages in leaves: word for word, after the summary of the other messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zoneinfo import ZoneInfo

from everword_compactor.compose.extractive.bullets import source_messages, write_groups
from everword_compactor.compose.model import (
    BUDGET_TOKENS,
    Composition,
    Faithfulness,
    Level,
    Source,
)

_BYTES_PER_TOKEN = 4
#: Maximum size of the protected messages of a leaf; further ones are summarised like other messages.
_MAX_BYTES = _BYTES_PER_TOKEN * BUDGET_TOKENS[Level.LEAF]
_UTC = ZoneInfo("UTC")


def split_protected(sources: Sequence[Source]) -> tuple[list[Source], list[Source]]:
    """Return the sources to summarise, and the protected ones that the node repeats."""
    ordinary, protected, size = list[Source](), list[Source](), 0
    for source in sources:
        size += len(source.text.encode()) if source.protected else 0
        (protected if source.protected and size <= _MAX_BYTES else ordinary).append(source)
    return ordinary, protected


def repeat_protected(composition: Composition, protected: Sequence[Source]) -> Composition:
    """Return a composition followed by the whole text of the protected messages."""
    text = write_groups(
        [
            source_messages(source, line, _UTC)
            for source in protected
            for line in source.text.splitlines()
            if line.strip()
        ]
    )
    tokens = -(-len(text.encode()) // _BYTES_PER_TOKEN)
    return replace(
        composition,
        content="\n\n".join(part for part in (composition.content, text) if part),
        token_count=composition.token_count + tokens,
    )


def empty_composition(model: str, prompt_version: int) -> Composition:
    """Return the composition of a leaf all of whose messages are protected."""
    return Composition("", model, prompt_version, Faithfulness((), (), 1.0, 1.0), 0)
