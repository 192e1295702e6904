"""Write the page of a topic: its facts with dates, and the sentences of leaves that name it, each cited.

A language model adds sections; without one the page consists of sentences chosen from its sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID
from zoneinfo import ZoneInfo

from everword.facts.attributes import find_attribute
from everword.facts.model import FactState
from everword_compactor.compose.checks.tags import strip_tags
from everword_compactor.topics.links import names_occur
from everword_compactor.topics.model import (
    FACT,
    LEAF,
    DatedFact,
    Leaf,
    Page,
    TopicMaterial,
    TopicSection,
)

#: Facts, and sentences of leaves, that a page has room for; of a leaf, and of a sentence, as much.
MOST_FACTS, MOST_LINES, _OF_A_LEAF, _MOST_CHARS = 60, 24, 3, 400
_MARKS = "-*• \t"


class Citations:
    """Numbers sources in the order in which a page cites them."""

    def __init__(self) -> None:
        self._numbers = dict[tuple[UUID, int], int]()

    def cite(self, source_id: UUID, kind: int) -> str:
        number = self._numbers.setdefault((source_id, kind), len(self._numbers) + 1)
        return f"[{number}]"

    @property
    def cited(self) -> list[tuple[UUID, int]]:
        return list(self._numbers)


def write_page(
    material: TopicMaterial, sections: Sequence[TopicSection] = (), model: str = ""
) -> Page:
    """Return the page of a topic. What holds comes before what held."""
    citations, node = Citations(), material.node
    head = f"{node.label} ({node.type.replace('_', ' ')})"
    parts = [f"{head}: {node.description}" if node.description else head]
    if node.aliases:
        parts[0] += f"\nAlso called {', '.join(node.aliases)}."
    facts = [_fact_line(each, material, citations) for each in material.facts[:MOST_FACTS]]
    if facts:
        parts.append("\n".join(["Known:", *facts]))
    kinds = {each.id: LEAF for each in material.leaves} | {each.id: FACT for each in material.facts}
    for section in sections:
        marks = "".join(citations.cite(id_, kinds[id_]) for id_ in section.source_ids)
        parts.append(f"{section.heading}:\n{section.text} {marks}")
    said = _topic_sentences(material, citations)
    if said:
        parts.append("\n".join(["Said:", *said]))
    return Page("\n\n".join(parts), sections, citations.cited, model if sections else "")


def fact_words(fact: DatedFact, zone: str) -> str:
    """Return a fact as a line of a page, such as `Ana employer: Initech, since 2026-03-01`."""
    label = find_attribute(fact.attribute).label
    words = f"{label}: {fact.value}, since {fact.valid_from.astimezone(ZoneInfo(zone)):%Y-%m-%d}"
    if fact.valid_until is not None:
        words += f", until {fact.valid_until.astimezone(ZoneInfo(zone)):%Y-%m-%d}"
    return f"{words}, unconfirmed" if fact.state == FactState.SUSPECTED else words


def _fact_line(fact: DatedFact, material: TopicMaterial, citations: Citations) -> str:
    return f"- {fact_words(fact, material.zone)} {citations.cite(fact.id, FACT)}"


def _topic_sentences(material: TopicMaterial, citations: Citations) -> list[str]:
    """Return sentences that name the topic, each once, the latest leaves first."""
    lines, seen = list[str](), set[str]()
    for leaf in material.leaves:
        day = f"{leaf.latest_at.astimezone(ZoneInfo(material.zone)):%Y-%m-%d}"
        for sentence in naming_lines(leaf, material.node.names):
            key = sentence.casefold()
            if key not in seen and len(lines) < MOST_LINES:
                seen.add(key)
                lines.append(f"- {day}: {sentence} {citations.cite(leaf.id, LEAF)}")
    return lines


def naming_lines(leaf: Leaf, names: Sequence[str]) -> list[str]:
    """Return the lines of a leaf that have one of some names, in order; the longest ones if there are many."""
    found = [
        line
        for raw in strip_tags(leaf.content).splitlines()
        if (line := " ".join(raw.strip(_MARKS).split())) and names_occur(line, names)
    ]
    best = sorted(found, key=len, reverse=True)[:_OF_A_LEAF]
    return [
        line if len(line) <= _MOST_CHARS else f"{line[: _MOST_CHARS - 1]}…"
        for line in found
        if line in best
    ][:_OF_A_LEAF]
