"""Let a language model write sections of a page: at most three at a time, each checked against its cited sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.model import Source
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion, Questioner
from everword_compactor.topics.model import Leaf, PageRow, TopicMaterial, TopicSection
from everword_compactor.topics.page import fact_words

TASK = "topic-page"
MAX_TOKENS = 3_000
#: Sections that one answer may write, and that a page has; leaves and facts that a model is shown.
MOST_PATCHES, MOST_SECTIONS, _LEAVES, _FACTS = 3, 12, 20, 60
#: Characters of records, of which a token has some four: about 32,000 tokens.
MOST_CHARS = 128_000
_MOST_HEADING, _MOST_TEXT = 80, 2_000
_INSTRUCTION = f"""\
Keep a page about the topic of the record `topic`. `facts` are what is known, with their dates, `leaves` are \
summaries of conversations that name it, and `sections` is what the page says so far. Write at most {MOST_PATCHES} \
sections that say what the records tell of the topic and the sections do not say yet. A section with the heading of \
one that is there takes its place. Each names the numbers of the facts and leaves that it rests on, and says nothing \
that they do not say. What held before and does not any more is told as past. No new section is a good answer.
Answer: {{"sections": [{{"heading": "...", "text": "...", "sources": [1, 4]}}]}}."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "sections": {
            "type": "array",
            "maxItems": MOST_PATCHES,
            "items": {
                "type": "object",
                "properties": {
                    "heading": {"type": "string", "minLength": 1, "maxLength": _MOST_HEADING},
                    "text": {"type": "string", "minLength": 1, "maxLength": _MOST_TEXT},
                    "sources": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 20,
                        "items": {"type": "integer"},
                    },
                },
                "required": ["heading", "text", "sources"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sections"],
    "additionalProperties": False,
}


def current_sections(material: TopicMaterial, page: PageRow | None) -> list[TopicSection]:
    """Return the sections of a page whose sources are all there, and did not change since it was written."""
    if page is None:
        return []
    there = {each.id for each in material.leaves} | {each.id for each in material.facts}
    return [
        section
        for section in map(TopicSection.from_json, page.sections)
        if all(
            id_ in there and material.changed_at.get(id_, page.made_at) <= page.made_at
            for id_ in section.source_ids
        )
    ]


def write_sections(
    asking: Questioner, material: TopicMaterial, kept: Sequence[TopicSection]
) -> list[TopicSection]:
    """Return a page's sections, with new sections from the model. Raises ChatError."""
    sources = _sources(material, asking.room(MAX_TOKENS))
    if not sources:
        return list(kept)
    question = ModelQuestion(
        TASK, _INSTRUCTION, _records(material, sources, kept), _SCHEMA, MAX_TOKENS, ("sections",)
    )
    written = asking.ask(question, lambda answer: _checked(answer, sources, material.zone))
    by_heading = {each.heading: each for each in (*kept, *written)}
    return list(by_heading.values())[-MOST_SECTIONS:]


def _sources(material: TopicMaterial, budget: int) -> list[Source]:
    """Return facts and leaves as a model reads them, each whole, as many as there is room for."""
    names = [material.node.agent, material.node.label]
    facts = [
        _source(each.id, fact_words(each, material.zone), each.valid_from, names)
        for each in material.facts[:_FACTS]
    ]
    leaves = [_leaf_source(each) for each in material.leaves[:_LEAVES]]
    left, retained = min(budget, MOST_CHARS), list[Source]()
    for source in (*facts, *leaves):
        cost = len(source.text) + _MOST_HEADING
        if cost <= left:
            left -= cost
            retained.append(source)
    return retained


def _source(id_: UUID, text: str, at: datetime, names: Sequence[str]) -> Source:
    return Source(id_, 1, text, at, at, 1, agent=names[0], author=names[1])


def _leaf_source(leaf: Leaf) -> Source:
    return Source(leaf.id, 1, leaf.content, leaf.earliest_at, leaf.latest_at, 1, agent=leaf.agent)


def _records(
    material: TopicMaterial, sources: Sequence[Source], kept: Sequence[TopicSection]
) -> dict[str, Sequence[Mapping[str, Any]]]:
    facts = {each.id for each in material.facts}
    shown = [
        (source.id in facts, {"number": number, "text": source.text})
        for number, source in enumerate(sources, start=1)
    ]
    node = material.node
    return {
        "topic": [{"name": node.label, "type": node.type, "also": node.aliases[:10]}],
        "facts": [record for is_fact, record in shown if is_fact],
        "leaves": [record for is_fact, record in shown if not is_fact],
        "sections": [{"heading": each.heading, "text": each.text} for each in kept],
    }


def _checked(
    answer: Any, sources: Sequence[Source], zone: str
) -> CheckedAnswer[list[TopicSection]]:
    """Return the sections that their cited sources support."""
    sections, complaints = list[TopicSection](), list[str]()
    for each in answer["sections"][:MOST_PATCHES]:
        numbers = list(dict.fromkeys(each["sources"]))
        heading, text = (" ".join(each[name].split()) for name in ("heading", "text"))
        if not heading or not text or not all(0 < number <= len(sources) for number in numbers):
            complaints.append(f"the section {heading[:40]!r} names a source that is not there")
            continue
        cited = [sources[number - 1] for number in numbers]
        wrong = check_faithfulness(f"{heading}: {text}", cited, time_zone=zone).unsupported
        if wrong:
            complaints.append(f"what {heading[:40]!r} cites does not say: {', '.join(wrong[:5])}")
            continue
        sections.append(TopicSection(heading, text, [source.id for source in cited]))
    return CheckedAnswer(sections, complaints)
