"""Nodes and relations in words. A label is data: it can forge neither a line nor a relation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from everword.domain.times import local_time
from everword.graph.labels import clean_label

#: Characters around the words of a relation; in labels they are replaced by similar ones.
_BEFORE, _AFTER = "—", "→"
_TAKEN = str.maketrans(
    {_BEFORE: "-", _AFTER: ">", "―": "-", "⟶": ">", "➔": ">", "➜": ">", "➝": ">"}
)
#: Length of a label in a relation.
_MOST_CHARS = 120


def node_text(label: str, type_: str, description: str, aliases: Sequence[str]) -> str:
    """Return a node as text, such as `Ana (person): a colleague from Lisbon. Also called Anna.`"""
    text = f"{label} ({type_.replace('_', ' ')})"
    if description:
        text += f": {description}"
    if aliases:
        text += f"{'' if text.endswith(('.', ')')) else '.'} Also called {', '.join(aliases)}."
    return text


def relation_text(
    from_label: str,
    type_: str,
    label: str,
    to_label: str,
    since: datetime | None = None,
    until: datetime | None = None,
    *,
    zone: tzinfo | None = None,
) -> str:
    """Return a relation as one line, such as `Ana —works at→ Initech (since 2024-05)`."""
    words = shown(label) or type_.replace("_", " ")
    line = f"{shown(from_label)} {_BEFORE}{words}{_AFTER} {shown(to_label)}"
    times = [
        f"{word} {_month(moment, zone)}"
        for word, moment in (("since", since), ("until", until))
        if moment is not None
    ]
    return f"{line} ({', '.join(times)})" if times else line


def shown(label: str) -> str:
    """Return a label as shown in a relation."""
    line = clean_label(label).translate(_TAKEN)
    return line if len(line) <= _MOST_CHARS else f"{line[: _MOST_CHARS - 1]}…"


def _month(moment: datetime, zone: tzinfo | None) -> str:
    local = local_time(moment, zone) if zone else moment
    return f"{local.year:04d}-{local.month:02d}"
