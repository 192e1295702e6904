"""The statements of themes as typed functions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from everword.db.blocking import Connection, execute, fetch_all, fetch_values
from everword.db.statements import load_statements
from everword.db.typed_statements import statement

SQL = load_statements("everword_compactor.themes")
#: Passages examined before each one; no private key is longer than that.
BEFORE = 8


@dataclass(frozen=True)
class _SampleRow:
    source_id: UUID
    content: str
    embedding: str
    before: str


@dataclass(frozen=True)
class SampledPassage:
    """A passage of the sample."""

    source_id: UUID
    content: str
    #: Text before it in its source.
    before: str
    vector: list[float]


@dataclass(frozen=True)
class NewTheme:
    """A theme to store."""

    id: UUID
    label: str
    words: list[str]
    size: int
    #: Nearest to the middle first.
    source_ids: list[UUID]
    #: The language model that wrote the label; empty for none.
    model: str


@statement(SQL)
def active_generation(conn: Connection) -> int | None: ...


def newest_passages(conn: Connection, namespace_id: int, limit: int) -> list[int]:
    parameters = {"namespace_id": namespace_id, "limit": limit}
    return fetch_values(conn, SQL["newest_passages"], parameters)


def passages_between(conn: Connection, namespace_id: int, before: int, steps: int) -> list[int]:
    parameters = {"namespace_id": namespace_id, "before": before, "steps": steps}
    return fetch_values(conn, SQL["passages_between"], parameters)


def read_sample(
    conn: Connection, namespace_id: int, generation: int, ids: Sequence[int]
) -> list[SampledPassage]:
    """Return passages in the order of their ids, those that have a vector."""
    statement = SQL["read_sample"].of_generation(generation)
    parameters = {"namespace_id": namespace_id, "ids": list(ids), "before": BEFORE}
    rows = fetch_all(conn, statement, parameters, _SampleRow)
    return [
        SampledPassage(
            row.source_id,
            row.content,
            row.before,
            # Plain arrays have braces.
            json.loads(row.embedding.replace("{", "[").replace("}", "]")),
        )
        for row in rows
    ]


def replace_themes(
    conn: Connection, namespace_id: int, generation: int, sampled: int, themes: Sequence[NewTheme]
) -> None:
    """Put themes in the place of those that there were."""
    execute(conn, SQL["delete_themes"], {"namespace_id": namespace_id})
    parameters = {
        "namespace_id": namespace_id,
        "generation_id": generation,
        "sampled": sampled,
        "ids": [each.id for each in themes],
        "places": list(range(1, len(themes) + 1)),
        "labels": [each.label for each in themes],
        "words": [" ".join(each.words) for each in themes],
        "sizes": [each.size for each in themes],
        "source_ids": [" ".join(map(str, each.source_ids)) for each in themes],
        "models": [each.model for each in themes],
    }
    execute(conn, SQL["insert_themes"], parameters)
