"""Writes observations as facts, through the writer of facts, which decides by the facts stored at that time."""

from __future__ import annotations

from everword.facts import store
from everword.facts.statement import FactStatement
from everword.facts.statement_writer import (
    correct_fact,
    doubt_fact,
    retract_fact,
    state_fact,
)
from everword.facts.writer import lock_attribute
from everword_compactor.sleep.stages.evidence import AUDIT
from everword_compactor.sleep.work import PendingWrite, SleepTransaction


def state(statement: FactStatement) -> PendingWrite:
    """Return the write for a value that holds: a new fact, or one more piece for one that is known."""

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, statement.key)
        await state_fact(to.conn, to.settings, locked, statement, AUDIT)

    return PendingWrite("state-fact", run, [statement.key])


def contradict(statement: FactStatement, known_value: str) -> PendingWrite:
    """Return the write for a value that contradicts a known one: both are marked as a pair until that is settled."""

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, statement.key)
        known = locked.of_value(known_value)
        remembered = await state_fact(to.conn, to.settings, locked, statement, AUDIT)
        # Values that hold side by side are no dispute.
        if known is None or known.several or known.id == remembered.fact_id:
            return
        id_ = to.namespace_id
        pair = (known.id, remembered.fact_id)
        await store.open_disputes(to.conn, id_, locked.now, [pair])

    return PendingWrite("contradict-fact", run, [statement.key])


def retract(statement: FactStatement) -> PendingWrite:
    """Return the write for a value that holds no more."""

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, statement.key)
        await retract_fact(to.conn, to.settings, locked, statement, AUDIT)

    return PendingWrite("retract-fact", run, [statement.key])


def correct(statement: FactStatement, wrong_value: str) -> PendingWrite:
    """Return the write for a value that holds where another one was said by mistake."""

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, statement.key)
        await correct_fact(to.conn, to.settings, locked, statement, wrong_value, AUDIT)

    return PendingWrite("correct-fact", run, [statement.key])


def doubt(statement: FactStatement, value: str) -> PendingWrite:
    """Return the write for what speaks against a value, with nothing in its place."""

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, statement.key)
        fact = locked.of_value(value)
        if fact is not None:
            await doubt_fact(to.conn, to.settings, locked, fact.id, statement, AUDIT)

    return PendingWrite("doubt-fact", run, [statement.key])
