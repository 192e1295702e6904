"""Step 11: where a subject is heading, written again where something that matters changed, or much was said since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from everword.domain.ids import new_id
from everword.people.model import MessageWords, Stability
from everword.people.store import TrajectoryRow
from everword.people.user_models import set_trajectory
from everword_compactor.jobs.questions import ModelQuestion
from everword_compactor.sleep.people import store
from everword_compactor.sleep.people.trajectory import (
    INSTRUCTION,
    MAX_TOKENS,
    PROMPT_VERSION,
    SCHEMA,
    TrajectoryDraft,
    TrajectorySource,
    read_trajectory_draft,
)
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)

TASK = "sleep-trajectory"
#: Sessions after which it may be written again where something changed, and after which it is at any rate.
AFTER_CHANGE, AT_LATEST = 2, 10
#: Important categories, and the actions that count as a change.
IMPORTANT = ("identity", "home", "work", "family", "health", "plans")
_ACTIONS = ("superseded", "closed", "corrected", "confirmed", "accepted", "rejected", "disputed")
_COUNTS = ("facts_confirmed", "disputes_settled")
_MOST_FACTS, _MOST_OBSERVATIONS, _MOST_WORDS = 80, 60, 2


@dataclass(frozen=True)
class TrajectoryState:
    """The state that decides whether a trajectory is due."""

    latest: TrajectoryRow | None
    #: Number of the subject's stored sessions.
    sessions: int
    #: True if an important fact changed since the latest one.
    has_changed: bool


def is_due(state: TrajectoryState) -> bool:
    """Return whether to write it: there is none, a fact changed and two sessions have passed, or ten have passed."""
    if state.latest is None:
        return state.sessions > 0
    since = state.sessions - state.latest.sessions
    return since >= AT_LATEST or (state.has_changed and since >= AFTER_CHANGE)


def update_trajectory(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Add the subject's trajectory, if it is due. It is stored whole or not at all."""
    assert tools.asking is not None
    due = _read_trajectory_state(tools, work)
    sources = _sources(tools, work) if work.sessions and is_due(due) else []
    if not sources:
        return work
    seen = due.latest
    told = (
        {"phase": seen.phase, "direction": seen.direction, "summary": seen.summary} if seen else {}
    )
    records = {
        "known": [source.record(r) for r, source in enumerate(sources, 1)],
        "earlier": [told] if told else [],
    }
    question = ModelQuestion(TASK, INSTRUCTION, records, SCHEMA, MAX_TOKENS)
    draft = tools.asking.ask(question, lambda answer: read_trajectory_draft(sources, answer))
    if draft is None:
        return work
    row = _row(work, tools, draft, due.sessions)
    evidence = {aspect: _cited_messages(sources, cited) for aspect, cited in draft.cited.items()}

    async def run(to: SleepTransaction) -> None:
        # Changes are stored under the same clock.
        made = replace(row, created_at=to.now)
        await set_trajectory(to.conn, to.namespace_id, made, seen, evidence)

    return work.adding(PendingWrite("set-trajectory", run), trajectories=1)


def _read_trajectory_state(tools: StageTools, work: ClosingWork) -> TrajectoryState:
    with tools.reading() as conn:
        latest = store.read_trajectory(conn, tools.namespace_id, work.subject)
        sessions = store.count_sessions(conn, tools.namespace_id, work.subject)
        changed = any(work.counts.get(name) for name in _COUNTS)
        if latest is not None and not changed:
            since = latest.created_at
            changed = store.has_changed(
                conn, tools.namespace_id, work.subject, since, IMPORTANT, _ACTIONS
            )
    return TrajectoryState(latest, sessions, changed)


def _sources(tools: StageTools, work: ClosingWork) -> list[TrajectorySource]:
    """Return the sources of a trajectory: known facts, and observations since the latest one."""
    facts = [fact for fact in work.loaded.profile.facts if fact.key.subject == work.subject]
    facts = sorted(facts, key=lambda fact: fact.last_seen_at, reverse=True)[:_MOST_FACTS]
    with tools.reading() as conn:
        ids = [fact.id for fact in facts if fact.id]
        words = store.read_words(conn, tools.namespace_id, ids, _MOST_WORDS)
    found = [
        TrajectorySource(
            f"{fact.text} ({fact.state.name.lower()})",
            fact.last_seen_at,
            words.get(fact.id, []) if fact.id else [],
            fact.key.attribute,
            fact.value,
        )
        for fact in facts
    ]
    for each in work.observations[-_MOST_OBSERVATIONS:]:
        if not each.about:
            said = [
                MessageWords(q.message_id, q.conversation_id, q.text, q.said_at)
                for q in each.quotes
            ]
            found.append(TrajectorySource(each.text, each.said_at, said))
    return found


def _row(
    work: ClosingWork, tools: StageTools, draft: TrajectoryDraft, sessions: int
) -> TrajectoryRow:
    assert tools.asking is not None
    return TrajectoryRow(
        new_id(),
        work.subject,
        0,
        draft.phase,
        draft.direction,
        Stability[draft.stability.upper()],
        list(draft.anchors),
        list(draft.volatile_areas),
        draft.momentum,
        list(draft.predicted_shifts),
        draft.summary,
        sessions,
        tools.asking.model,
        PROMPT_VERSION,
        tools.now,
    )


def _cited_messages(
    sources: Sequence[TrajectorySource], cited: Sequence[int]
) -> list[MessageWords]:
    """Return the words that cited records rest on, each message once."""
    by_message = {said.message_id: said for r in cited for said in sources[r - 1].said}
    return list(by_message.values())


TRAJECTORY = ClosingStage("trajectory", update_trajectory, needs_model=True)
