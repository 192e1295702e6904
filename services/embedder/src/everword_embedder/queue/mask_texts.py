"""Masks credentials in passages sent to a model on a server, unless their namespaces keep them.

A URL does not show whose server it is, so each counts as a third party's. The model in the process stores nothing, and
gets passages unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from everword.db.blocking import Connection
from everword.domain.documents import BETWEEN_HEADINGS
from everword.text.credentials import mask_credentials, mask_parts
from everword_embedder.providers.generation import LOCAL
from everword_embedder.queue import store
from everword_embedder.queue.store import Passage, TextPart, WrittenGeneration

#: Passages before and after one that are examined with it; no private key is longer than that.
AROUND = 8


def read_around(
    conn: Connection, generation: WrittenGeneration, namespace_id: int, passages: Sequence[Passage]
) -> list[TextPart] | None:
    """Return the texts around passages of a namespace, for masking; None if they are sent unchanged."""
    if generation.provider == LOCAL or not store.masks_credentials(conn, namespace_id):
        return None
    ids = [passage.memory_id for passage in passages]
    return store.read_around(conn, namespace_id, ids, AROUND)


def sent_texts(passages: Sequence[Passage], around: Sequence[TextPart] | None) -> dict[int, str]:
    """Return the texts to send for passages, by id; `around` is the result of `read_around`.

    A part of a document is embedded with the headings above it and the passage before it, which often name its subject
    as no sentence of it does.
    """
    titles = {each.memory_id: BETWEEN_HEADINGS.join(each.headings) for each in passages}
    if around is None:
        return {
            each.memory_id: _with_context(titles[each.memory_id], each.before, each.content)
            for each in passages
        }
    masked: dict[int, str] = {}
    masked_before: dict[int, str] = {}
    for _, group in groupby(around, key=lambda part: part.source_id):
        parts = list(group)
        texts = mask_parts([part.content for part in parts])
        masked |= {part.memory_id: text for part, text in zip(parts, texts, strict=True)}
        # Adjacent parts of the source.
        masked_before |= {
            part.memory_id: text for part, text in zip(parts[1:], texts, strict=False)
        }
    return {
        each.memory_id: _with_context(
            mask_credentials(titles[each.memory_id]),
            each.before and (masked_before.get(each.memory_id) or mask_credentials(each.before)),
            masked.get(each.memory_id) or mask_credentials(each.content),
        )
        for each in passages
    }


def _with_context(title: str, before: str, content: str) -> str:
    text = f"{before} {content}" if before else content
    return f"{title}\n{text}" if title else text
