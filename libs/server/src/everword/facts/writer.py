"""Write facts, in the caller's transaction: believed intervals, the index, and the consequences of evidence.

A write locks the subject's attribute, computes the changes with `timeline`, and applies them. Two writes of the same
attribute never see half of each other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from uuid import UUID

from everword.db.namespaces import NamespaceSettings
from everword.db.pool import Connection
from everword.domain.ids import new_id
from everword.domain.memory_kinds import MemoryKind
from everword.domain.trust import TrustPolicy
from everword.facts import store
from everword.facts.attributes import fact_text
from everword.facts.edges import follow_facts
from everword.facts.fact_state import weighed
from everword.facts.model import FactRuling, FactState, Interval, Key, value_hash
from everword.facts.store import FactRow, NewChange, NewEvidence
from everword.facts.timeline import NOTHING, TimelineChange
from everword.facts.voices import EvidencedFacts, weigh_voices
from everword.index import passages as index
from everword.index.builders import Language, build_passages
from everword.index.passages import IndexedPassage
from everword.index.writer import Counts, Validity, add_passages, close_passages, vectors_job
from everword.jobs.enqueue import enqueue


@dataclass(frozen=True)
class ChangeReason:
    """The actor and the reason of a change."""

    #: `agent`, `person` or `machine`.
    actor: str
    reason: str = ""


@dataclass(frozen=True)
class LockedAttribute:
    """The facts of a subject's attribute, locked until the end of the transaction."""

    namespace_id: int
    #: The time from which this write is believed.
    now: datetime
    facts: Mapping[UUID, FactRow]
    believed: Sequence[Interval]
    #: Which of these facts trusted sources support or contradict.
    voices: EvidencedFacts = field(default_factory=EvidencedFacts)

    def with_fact(self, fact: FactRow) -> LockedAttribute:
        return replace(self, facts={**self.facts, fact.id: fact})

    def of_value(self, value: str) -> FactRow | None:
        """Return the fact of a value, if there is one."""
        requested = value_hash(value)
        return next((fact for fact in self.facts.values() if fact.value_hash == requested), None)


@dataclass(frozen=True)
class WrittenFacts:
    """The result of a write."""

    #: The facts concerned, as they are now.
    facts: Mapping[UUID, FactRow]
    #: The highest id of a passage; 0 without any.
    highest: int


@dataclass(frozen=True)
class EndedDisputes:
    """The end of a fact with open disputes: each other fact is accepted if it is the successor, else kept as it is."""

    old_id: UUID
    successor_id: UUID | None
    reason: str


@dataclass(frozen=True)
class FactPlan:
    """The decided changes of a subject's attribute, to be written."""

    #: With the facts as they will be, apart from the consequences of evidence.
    standing: LockedAttribute
    change: TimelineChange = NOTHING
    changes: Sequence[NewChange] = ()
    new_facts: Sequence[FactRow] = ()
    #: Each piece with its fact.
    evidence: Sequence[tuple[FactRow, NewEvidence]] = ()
    #: Pairs of facts that contradict each other: an old one, and a new one.
    disputes: Sequence[tuple[UUID, UUID]] = ()
    settled: Sequence[EndedDisputes] = ()

    @property
    def own_facts(self) -> list[FactRow]:
        """The facts that it changes, as they are to be."""
        ids = {fact.id for fact, _ in self.evidence} | {each.fact_id for each in self.changes}
        return [self.standing.facts[id_] for id_ in ids]


async def lock_attribute(
    conn: Connection, namespace_id: int, trust: TrustPolicy, key: Key, only: str | None = None
) -> LockedAttribute:
    """Lock an attribute of a subject and return its facts; with `only`, those of that value alone."""
    now = await store.lock_key(conn, namespace_id, key)
    hash_ = value_hash(only) if only is not None else None
    facts = {fact.id: fact for fact in await store.find_facts(conn, namespace_id, [key], hash_)}
    believed = await store.find_believed_intervals(conn, namespace_id, list(facts)) if facts else []
    voices = await find_voices(conn, namespace_id, trust, facts)
    return LockedAttribute(namespace_id, now, facts, believed, voices)


async def find_voices(
    conn: Connection, namespace_id: int, trust: TrustPolicy, facts: Mapping[UUID, FactRow]
) -> EvidencedFacts:
    """Return which of these facts are supported or contradicted by trusted sources or by a person's ruling."""
    if not facts:
        return EvidencedFacts()
    heard = weigh_voices(await store.find_voices(conn, namespace_id, list(facts)), trust)
    ruled = {fact.id: fact.ruling for fact in facts.values() if fact.ruling is not None}
    right = {id_ for id_, ruling in ruled.items() if ruling == FactRuling.RIGHT}
    return EvidencedFacts(heard.supported | right, heard.addressed | ruled.keys())


async def lock_all_attributes(
    conn: Connection, namespace_id: int, trust: TrustPolicy, keys: Sequence[Key]
) -> dict[Key, LockedAttribute]:
    """Lock attributes of subjects and return their facts, as `lock_attribute` does for one."""
    now = await store.lock_keys(conn, namespace_id, keys)
    facts = {fact.id: fact for fact in await store.find_facts(conn, namespace_id, keys)}
    believed = await store.find_believed_intervals(conn, namespace_id, list(facts)) if facts else []
    voices = await find_voices(conn, namespace_id, trust, facts)
    budget_statuses = {}
    for key in keys:
        own = {id_: fact for id_, fact in facts.items() if fact.key == key}
        held = [each for each in believed if each.fact_id in own]
        budget_statuses[key] = LockedAttribute(namespace_id, now, own, held, voices)
    return budget_statuses


async def add_evidence(
    conn: Connection, locked: LockedAttribute, fact: FactRow, pieces: Sequence[NewEvidence]
) -> None:
    """Store evidence for or against a fact, with the fact's source; that of a message only once."""
    if pieces:
        told = [(fact, piece) for piece in pieces]
        await store.insert_evidence(conn, locked.namespace_id, locked.now, told)


async def apply(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    change: TimelineChange,
    changes: Sequence[NewChange],
    audit: ChangeReason,
) -> WrittenFacts:
    """Apply decided changes, and update the facts concerned."""
    return await write_plans(conn, settings, [FactPlan(locked, change, changes)], audit)


async def write_plans(
    conn: Connection, settings: NamespaceSettings, plans: Sequence[FactPlan], audit: ChangeReason
) -> WrittenFacts:
    """Write plans made at the same moment for different facts, in as many statements as one plan takes."""
    namespace_id, now = plans[0].standing.namespace_id, plans[0].standing.now
    if new_facts := [fact for plan in plans for fact in plan.new_facts]:
        await store.insert_facts(conn, namespace_id, new_facts)
    if evidence := [piece for plan in plans for piece in plan.evidence]:
        await store.insert_evidence(conn, namespace_id, now, evidence)
    if disputes := [pair for plan in plans for pair in plan.disputes]:
        await store.open_disputes(conn, namespace_id, now, disputes)
    for each in (each for plan in plans for each in plan.settled):
        await store.end_disputes(
            conn, namespace_id, now, each.old_id, each.successor_id, each.reason
        )
    locked = _joined(plans)
    gone = [each for plan in plans for each in plan.change.disbelieved]
    gone_ids = {each.id for each in gone if each.id is not None}
    come = [replace(each, id=new_id()) for plan in plans for each in plan.change.believed]
    await _replace_intervals(conn, locked, sorted(gone_ids), come)
    believed = [*(each for each in locked.believed if each.id not in gone_ids), *come]
    changed = {each.fact_id for each in (*gone, *come)}
    changes = [each for plan in plans for each in plan.changes]
    await follow_facts(conn, namespace_id, now, changed, believed)
    concerned = changed | {each.fact_id for each in changes}
    facts = await _update_derived_fields(conn, settings.trust, locked, believed, concerned)
    await _close_edges(conn, locked, believed, facts)
    await store.insert_changes(conn, namespace_id, now, audit.actor, audit.reason, changes)
    return WrittenFacts(facts, await _index(conn, settings, locked, facts, come))


def _joined(plans: Sequence[FactPlan]) -> LockedAttribute:
    """Return the facts and intervals of all plans."""
    facts = {id_: fact for plan in plans for id_, fact in plan.standing.facts.items()}
    # Several may be of one attribute: each has its own fact as it is to be.
    facts |= {fact.id: fact for plan in plans for fact in plan.own_facts}
    believed = dict.fromkeys(each for plan in plans for each in plan.standing.believed)
    return replace(plans[0].standing, facts=facts, believed=list(believed))


async def _replace_intervals(
    conn: Connection, locked: LockedAttribute, removed_ids: Sequence[UUID], come: Sequence[Interval]
) -> None:
    """Believe in intervals, and no longer in others."""
    namespace_id, now = locked.namespace_id, locked.now
    if removed_ids:
        await store.disbelieve_intervals(conn, namespace_id, now, removed_ids)
        await close_passages(conn, namespace_id, removed_ids, known_until=now)
    if come:
        await store.insert_intervals(conn, namespace_id, now, come)


async def _close_edges(
    conn: Connection,
    locked: LockedAttribute,
    believed: Sequence[Interval],
    facts: Mapping[UUID, FactRow],
) -> None:
    """Close what links facts that do not hold any more with others."""
    ended = {
        id_: max(
            (each.until or locked.now for each in believed if each.fact_id == id_),
            default=locked.now,
        )
        for id_, fact in facts.items()
        if fact.state in (FactState.CLOSED, FactState.REJECTED)
    }
    if ended:
        await store.close_edges(conn, locked.namespace_id, locked.now, ended)


async def _update_derived_fields(
    conn: Connection,
    trust: TrustPolicy,
    locked: LockedAttribute,
    believed: Sequence[Interval],
    fact_ids: Collection[UUID],
) -> dict[UUID, FactRow]:
    """Update facts by their intervals and evidence; return them."""
    rows = await store.weigh_evidence(conn, locked.namespace_id, list(fact_ids))
    evidence = {id_: list(each) for id_, each in groupby(rows, key=lambda row: row.fact_id)}
    facts: dict[UUID, FactRow] = {}
    for fact_id in sorted(fact_ids):
        own = [each for each in believed if each.fact_id == fact_id]
        rows = evidence.get(fact_id, [])
        fact = weighed(locked.facts[fact_id], rows, own, locked.now, trust)
        facts[fact_id] = fact
    if facts:
        await store.update_facts(conn, locked.namespace_id, list(facts.values()))
    return facts


async def _index(
    conn: Connection,
    settings: NamespaceSettings,
    locked: LockedAttribute,
    facts: Mapping[UUID, FactRow],
    intervals: Collection[Interval],
) -> int:
    """Index intervals as memories of their own; return the highest id of a passage."""
    language = Language(settings.text_search_config, settings.time_zone)
    highest = 0
    # Rows of jobs are locked in one order by all writers.
    shards = {vectors_job(locked.namespace_id, each.fact_id) for each in intervals}
    if shards:
        await enqueue(conn, sorted(shards, key=lambda job: job.subject))
    for limits, own in _by_limits(intervals, locked.now).items():
        passages = list[IndexedPassage]()
        for each in own:
            assert each.id is not None
            fact = facts[each.fact_id]
            source = index.IndexedSource(
                each.id, MemoryKind.FACT, each.since, agent=fact.agent, subject=fact.subject
            )
            text = fact_text(fact.subject, fact.attribute, fact.value)
            passages += build_passages(source, text, language)
        pending = await add_passages(conn, locked.namespace_id, passages, Counts(), limits)
        [stored] = await pending.rows()
        highest = max(highest, stored.highest)
    return highest


def _by_limits(intervals: Collection[Interval], now: datetime) -> dict[Validity, list[Interval]]:
    """Return intervals by when they hold: those that hold alike are indexed together."""
    found = dict[Validity, list[Interval]]()
    for each in intervals:
        found.setdefault(Validity(each.since, each.until, now), []).append(each)
    return found
