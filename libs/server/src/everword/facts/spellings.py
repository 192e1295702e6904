"""Identify speakers: names that differ only in letter case are one subject.

A subject given by a caller, of a conversation or a fact, is the caller's key, and stays unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from everword.db.blocking import Connection, fetch_all
from everword.facts.store import SQL
from everword.text.case_folding import fold_case


@dataclass(frozen=True)
class _Spelling:
    name: str
    spelling: str


def find_spellings(conn: Connection, namespace_id: int, names: Sequence[str]) -> Mapping[str, str]:
    """Return how the subject is spelled that each name means.

    It is spelled as facts have it; where these have none, as the first of the names that are alike.
    """
    first = dict[str, str]()
    for name in names:
        first.setdefault(fold_case(name), name)
    requested = list(dict.fromkeys(name for name in names if name))
    if not requested:
        return {}
    parameters = {"namespace_id": namespace_id, "names": requested}
    known = {
        row.name: row.spelling
        for row in fetch_all(conn, SQL["find_spellings"], parameters, _Spelling)
    }
    return {name: known.get(name, first[fold_case(name)]) for name in requested}
