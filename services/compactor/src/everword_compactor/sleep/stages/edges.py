"""Step 7: links the facts that sessions touched with others: what causes, supports, contradicts, comes before what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion
from everword_compactor.sleep import storage
from everword_compactor.sleep.model import KnownFact
from everword_compactor.sleep.prompts import fact_record
from everword_compactor.sleep.relevance import relevant_facts
from everword_compactor.sleep.stages import reads
from everword_compactor.sleep.storage import NewFactLink
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)

TASK = "sleep-edges"
MAX_TOKENS = 4_000
#: Facts that a model sees, and known edges.
CONTEXT, EDGES = 24, 20
#: Facts that one closing links.
_TOUCHED = 20
#: An edge that is less sure says nothing.
_LEAST = 0.3


class LinkRelation(IntEnum):
    """The relation of one fact to another. Values equal the column `relation`."""

    CAUSES = 1
    RELATED_TO = 2
    SUPPORTS = 3
    CONTRADICTS = 4
    TEMPORAL_SEQUENCE = 5
    PART_OF = 6


_RELATIONS = {relation.name.lower(): relation for relation in LinkRelation}
_INSTRUCTION = f"""\
The records `facts` are what is known of a person; those with `touched` true were just heard of. `edges` are how \
facts are \
linked already. Link touched facts with each other and with the rest where the link is plain: `causes` (the first \
brings the \
second about), `supports` (the first makes the second likelier), `contradicts`, `temporal_sequence` (the first came \
before the \
second, and led up to it), `part_of` (the first is a part of the second), `related_to` (they belong together, and \
none of \
the others fits). Do not link facts for being of the same person. Repeat no edge that is there, unless it has \
become more or \
less sure.
Answer: {{"edges": [{{"from": 1, "to": 2, "relation": "{'" or "'.join(_RELATIONS)}", "confidence": 0.8, "reason": \
"..."}}]}}; \
an empty list is a good answer."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "edges": {
            "type": "array",
            "maxItems": 40,
            "items": {
                "type": "object",
                "properties": {
                    "from": {"type": "integer"},
                    "to": {"type": "integer"},
                    "relation": {"enum": list(_RELATIONS)},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "reason": {"type": "string", "maxLength": 1_000},
                },
                "required": ["from", "to", "relation", "confidence", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["edges"],
    "additionalProperties": False,
}


def link_facts(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Add edges from and to the facts that the sessions brought. Facts that they repeat were linked before."""
    assert tools.asking is not None
    known = [fact for fact in work.loaded.profile.facts if fact.id is not None]
    touched = _new_facts(work, known)[:_TOUCHED]
    others = [fact for fact in known if fact not in touched]
    texts = [f"{fact.key.attribute.replace('_', ' ')} {fact.value}" for fact in touched]
    others = relevant_facts(others, texts, CONTEXT - len(touched))
    shown = [*touched, *others]
    if not touched or len(shown) < 2:
        return work
    with tools.reading() as conn:
        edges = reads.read_edges(conn, tools.namespace_id, work.subject, EDGES)
    numbers = {fact.id: number for number, fact in enumerate(shown, start=1)}
    records = {
        "facts": [
            {**fact_record(fact, number), "touched": number <= len(touched)}
            for number, fact in enumerate(shown, start=1)
        ],
        "edges": [
            {
                "from": numbers[edge.from_fact_id],
                "to": numbers[edge.to_fact_id],
                "relation": LinkRelation(edge.relation).name.lower(),
                "confidence": round(edge.confidence, 2),
            }
            for edge in edges
            if edge.from_fact_id in numbers and edge.to_fact_id in numbers
        ],
    }
    question = ModelQuestion(TASK, _INSTRUCTION, records, _SCHEMA, MAX_TOKENS, ["facts", "edges"])
    found = tools.asking.ask(question, lambda answer: read_edges_of(shown, len(touched), answer))
    return work.adding(*map(_insert, found), edges=len(found))


def _new_facts(work: ClosingWork, known: Sequence[KnownFact]) -> list[KnownFact]:
    """Return the touched facts that were first heard of in the sessions."""
    if not work.sessions:
        return []
    ids, began = set(work.touched_ids), min(each.started_at for each in work.sessions)
    return [fact for fact in known if fact.id in ids and fact.first_seen_at >= began]


def read_edges_of(
    shown: Sequence[KnownFact], touched: int, answer: Any
) -> CheckedAnswer[list[NewFactLink]]:
    """Return the edges of an answer with at least one touched fact, and complaints about the rest."""
    retained: dict[tuple[int, int, LinkRelation], NewFactLink] = {}
    complaints = []
    for entry in answer["edges"]:
        first, second = entry["from"], entry["to"]
        if not (1 <= first <= len(shown) and 1 <= second <= len(shown)) or first == second:
            complaints.append(f"there is no edge from fact {first} to fact {second}")
            continue
        if min(first, second) > touched or entry["confidence"] < _LEAST:
            continue
        one, other = shown[first - 1], shown[second - 1]
        assert one.id is not None
        assert other.id is not None
        relation = _RELATIONS[entry["relation"]]
        edge = NewFactLink(
            one.id,
            other.id,
            relation,
            entry["confidence"],
            " ".join(entry["reason"].split()),
            max(one.first_seen_at, other.first_seen_at),
        )
        retained.setdefault((first, second, relation), edge)
    return CheckedAnswer(list(retained.values()), complaints)


def _insert(edge: NewFactLink) -> PendingWrite:
    async def run(to: SleepTransaction) -> None:
        await storage.insert_edge(to.conn, to.namespace_id, edge, to.now)

    return PendingWrite("insert-edge", run)


EDGES_STAGE = ClosingStage("edges", link_facts, needs_model=True)
