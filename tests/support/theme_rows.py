"""A theme, and parameters with which every statement of themes affects it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg

from everword.domain.ids import new_id

THEME = UUID(int=91)


def insert_theme(conn: psycopg.Connection, namespace_id: int, words: str) -> None:
    conn.execute(
        "INSERT INTO themes (namespace_id, id, place, label, words, size, sampled, source_ids, generation_id) "
        "VALUES (%s, %s, 1, %s, %s, 3, 9, %s, 1)",
        [namespace_id, THEME, words, [words], [THEME]],
    )


def theme_parameters(passage_ids: Sequence[int]) -> dict[str, dict[str, Any]]:
    """Return the parameters of the theme statements, by statement name."""
    package = "everword_compactor.themes"
    return {
        f"{package}.passages_between": {"before": max(passage_ids) + 1, "steps": 3},
        f"{package}.read_sample": {"ids": list(passage_ids), "before": 8},
        f"{package}.insert_themes": {
            "ids": [new_id()],
            "places": [2],
            "labels": ["smuggled"],
            "words": ["smuggled"],
            "sizes": [1],
            "sampled": 1,
            "source_ids": [str(THEME)],
            "generation_id": 1,
            "models": [""],
        },
    }
