"""Invariants of the calendar of summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from uuid import UUID

from everword.domain.periods import Calendar, Period, PeriodLevel
from support.dag import DAY, Dag, Node, check_dag, is_eligible
from support.databases import DatabaseUnderTest

WEEK, MONTH, YEAR = 5, 6, 7


def period_of(node: Node) -> Period:
    return Period(PeriodLevel(node.level), node.period, node.subject)


def node_of(dag: Dag, level: int, period: str, instance: str = "", subject: str = "") -> Node:
    """Return the node of a period by its first day."""
    [found] = [
        node
        for node in dag.of_level(level)
        if node.period == date.fromisoformat(period)
        and (node.instance, node.subject) == (instance, subject)
    ]
    return found


def pending(database: DatabaseUnderTest) -> list[str]:
    """Return pending calendar periods such as `day/2026-04-18`, sorted and without duplicates."""
    with database.connect() as conn:
        rows = conn.execute(
            "SELECT DISTINCT level, period, subject FROM calendar_pending ORDER BY 1, 2, 3"
        )
        return [Period(PeriodLevel(level), *period).job_subject for level, *period in rows]


def pending_messages(database: DatabaseUnderTest) -> set[tuple[UUID, int]]:
    """Return conversation and sequence number of messages that are pending for days."""
    with database.connect() as conn:
        rows = conn.execute("SELECT conversation_id, unnest(seqs) FROM calendar_pending")
        return {(conversation_id, seq) for conversation_id, seq in rows}


def check_calendar(
    database: DatabaseUnderTest, calendar: Calendar | None = None, left_out: Sequence[UUID] = ()
) -> Dag:
    """Check that each message is under exactly one day or pending for one, and that periods match their content.

    With a `calendar`, days are checked against it. Conversations `left_out` are in no summary of the calendar.
    """
    dag = check_dag(database)
    waiting = pending_messages(database)
    open_periods = set(pending(database))
    under = Counter(entry["id"] for node in dag.of_level(DAY) for entry in node.messages)
    for id_, entry in dag.messages.items():
        rolls_up = is_eligible(entry) and entry["conversation_id"] not in left_out
        is_waiting = (entry["conversation_id"], entry["seq"]) in waiting
        assert under[id_] + is_waiting == rolls_up, (entry["seq"], under[id_], is_waiting)
    for node in dag.of_level(DAY):
        times = [entry["occurred_at"] for entry in node.messages]
        assert times == sorted(times)
        assert {entry["instance"] for entry in node.messages} == {node.instance}
        assert node.subject == "" or {entry["subject"] for entry in node.messages} == {node.subject}
        if calendar:
            assert {calendar.day_of(time) for time in times} == {node.period}
    for node in dag.of_level(DAY, WEEK, MONTH, YEAR):
        _check_place(dag, node, open_periods)
    return dag


def _check_place(dag: Dag, node: Node, open_periods: set[str]) -> None:
    """Check that a node has its parent, unless that is pending, and that the parent contains its whole period."""
    period = period_of(node)
    assert node.title == period.label
    above = period.above
    if above and above.job_subject not in open_periods:
        [parent] = [other for other in dag.of_level(above.level) if period_of(other) == above]
        assert node.parent_id == parent.id
    if node.level != DAY and period.job_subject not in open_periods:
        since, before = period.parts
        inside = [
            other.id
            for other in dag.of_level(node.level - 1)
            if since <= other.period < before and other.subject == node.subject
        ]
        assert set(node.children) == set(inside)
        order = [(dag.nodes[child].period, dag.nodes[child].instance) for child in node.children]
        assert order == sorted(order)
