"""Step 6: settles which of two facts that contradict each other holds: by rule, or by a model that sees both sides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from everword.facts import store
from everword.facts.conclusions import accept_fact, reject_fact
from everword.facts.model import DisputeOutcome, FactRuling, FactState, Key
from everword.facts.statement import ANOTHER_SESSION
from everword.facts.writer import ChangeReason, lock_attribute
from everword.text.credentials import mask_credentials
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion
from everword_compactor.sleep.prompts import message_record
from everword_compactor.sleep.stages import reads
from everword_compactor.sleep.stages.reads import DisputeRow
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)

TASK = "sleep-arbitrate"
MAX_TOKENS = 800
#: Disputes of a subject that one closing looks at.
MOST = 20
#: An older dispute is decided in favour of the value that was stated more often.
LONGEST = timedelta(days=90)
#: Messages before and after each that the facts rest on.
AROUND = 5
_OUTCOMES = {outcome.name.lower(): outcome for outcome in DisputeOutcome}
_INSTRUCTION = f"""\
The record `dispute` holds two facts about one person that contradict each other: `old` was known when `new` was said. \
`timeline` is what the attribute was through time, `trajectory` where the person's life is going, `messages` the \
conversation around what both rest on. Decide with care which one holds:
- `accept_new`: things changed, or the old fact was wrong: the new one holds.
- `reject_new`: the new one was a slip, a joke, about somebody else, or misunderstood: the old one holds on.
- `keep`: the messages do not tell.
Answer: {{"outcome": "{'" or "'.join(_OUTCOMES)}", "reason": "one sentence that names what decides"}}."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "outcome": {"enum": list(_OUTCOMES)},
        "reason": {"type": "string", "minLength": 1, "maxLength": 1_000},
    },
    "required": ["outcome", "reason"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Settlement:
    """The decision on a dispute."""

    outcome: DisputeOutcome
    #: `rule`, `model` or `person`.
    decided_by: str
    reason: str


def settle_disputes(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Settle open disputes of the subject; those that need a model wait for one."""
    with tools.reading() as conn:
        disputes = reads.open_disputes(conn, tools.namespace_id, work.subject, MOST)
    for dispute in disputes:
        found = by_rule(dispute, tools.now)
        if found is None and tools.asking is not None and not dispute.old_outranks:
            found = _arbitrate(tools, work, dispute)
        if found is not None:
            said = f"{dispute.attribute}: {found.outcome.name.lower()}: {found.reason}"
            work = replace(work, settled=[*work.settled, said])
            work = work.adding(_settle(dispute, found), disputes_settled=1)
    return work


def by_rule(dispute: DisputeRow, now: datetime) -> Settlement | None:
    """Return the settlement by rule; None if no rule applies."""
    old_gone, replaced_ids = (
        ruling == FactRuling.WRONG for ruling in (dispute.old_ruling, dispute.new_ruling)
    )
    if dispute.new_ruling == FactRuling.RIGHT or old_gone:
        return Settlement(DisputeOutcome.ACCEPT_NEW, "person", "a person said so")
    if dispute.old_ruling == FactRuling.RIGHT or replaced_ids:
        return Settlement(DisputeOutcome.REJECT_NEW, "person", "a person said so")
    if dispute.new_state == FactState.REJECTED:
        return Settlement(DisputeOutcome.REJECT_NEW, "rule", "the new one was corrected")
    if dispute.old_state == FactState.REJECTED:
        return Settlement(DisputeOutcome.ACCEPT_NEW, "rule", "the old one was corrected")
    if dispute.new_outranks:
        # The new fact is current already. Accepting it would confirm it after a single statement.
        return Settlement(
            DisputeOutcome.KEEP, "rule", "only the new one comes from a trusted source"
        )
    if dispute.old_outranks:
        return _by_trust(dispute, now)
    later = dispute.new_first_seen_at > dispute.old_last_seen_at
    sessions_apart = dispute.new_last_seen_at - dispute.new_first_seen_at >= ANOTHER_SESSION
    if sessions_apart and later and dispute.is_stated:
        reason = f"stated {dispute.new_mentions} times after the other was last mentioned"
        return Settlement(DisputeOutcome.ACCEPT_NEW, "rule", reason)
    if now - dispute.opened_at > LONGEST:
        return _by_mentions(dispute)
    return None


def _by_mentions(dispute: DisputeRow) -> Settlement:
    """Return the settlement of an old dispute: the value with more statements holds; equal ones stay as they are."""
    more = dispute.new_mentions - dispute.old_mentions
    if more == 0:
        reason = f"in dispute for {LONGEST.days} days, and stated equally often"
        return Settlement(DisputeOutcome.KEEP, "rule", reason)
    outcome = DisputeOutcome.ACCEPT_NEW if more > 0 else DisputeOutcome.REJECT_NEW
    reason = f"in dispute for {LONGEST.days} days, and stated less often than the other"
    return Settlement(outcome, "rule", reason)


def _by_trust(dispute: DisputeRow, now: datetime) -> Settlement | None:
    """Return how to settle a dispute of a trusted fact with an untrusted one, which never wins."""
    if dispute.old_last_seen_at > dispute.opened_at:
        return Settlement(
            DisputeOutcome.REJECT_NEW, "rule", "a trusted source said the old one again"
        )
    if now - dispute.opened_at > LONGEST:
        reason = f"in dispute for {LONGEST.days} days, and no trusted source said the new one"
        return Settlement(DisputeOutcome.REJECT_NEW, "rule", reason)
    return None


def _arbitrate(tools: StageTools, work: ClosingWork, dispute: DisputeRow) -> Settlement:
    """Return the decision of a model that sees the conversation around both facts."""
    assert tools.asking is not None
    ids = [dispute.old_id, dispute.new_id]
    with tools.reading() as conn:
        timeline = reads.read_timeline(conn, tools.namespace_id, work.subject, dispute.attribute)
        messages = reads.read_around(conn, tools.namespace_id, ids, AROUND)
    zone = work.loaded.time_zone
    shown = [
        message_record(replace(each, content=mask_credentials(each.content)), zone)
        for each in (message.own(work.subject) for message in messages)
        if each.is_shown
    ]
    available = tools.asking.room(MAX_TOKENS)
    records = {
        "dispute": [_record(dispute)],
        "timeline": [each.record() for each in timeline],
        "trajectory": [{"summary": work.loaded.trajectory.summary}],
        # The latest are the likeliest to tell.
        "messages": list(reversed(reads.fitting(list(reversed(shown)), available))),
    }
    question = ModelQuestion(TASK, _INSTRUCTION, records, _SCHEMA, MAX_TOKENS, ["timeline"])
    return tools.asking.ask(question, read_settlement)


def read_settlement(answer: Any) -> CheckedAnswer[Settlement]:
    """Return what an answer decides."""
    reason = " ".join(answer["reason"].split())
    return CheckedAnswer(Settlement(_OUTCOMES[answer["outcome"]], "model", reason))


def _record(dispute: DisputeRow) -> dict[str, Any]:
    return {
        "attribute": dispute.attribute,
        "old": {
            "value": dispute.old_value,
            "mentions": dispute.old_mentions,
            "last_heard_of": dispute.old_last_seen_at.date().isoformat(),
        },
        "new": {
            "value": dispute.new_value,
            "mentions": dispute.new_mentions,
            "first_said": dispute.new_first_seen_at.date().isoformat(),
        },
        "disputed_since": dispute.opened_at.date().isoformat(),
    }


def _settle(dispute: DisputeRow, found: Settlement) -> PendingWrite:
    """Return the write that closes the loser, with what links it, and records the outcome and why."""
    key = Key(dispute.subject, dispute.attribute)
    audit = ChangeReason("machine", found.reason)
    old, new = dispute.old_id, dispute.new_id

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, key)
        settled = await store.settle_dispute(
            to.conn,
            to.namespace_id,
            to.now,
            dispute.id,
            found.outcome,
            found.decided_by,
            found.reason,
        )
        if not settled:
            return
        if found.outcome is DisputeOutcome.ACCEPT_NEW:
            await accept_fact(to.conn, to.settings, locked, new, old, audit)
        elif found.outcome is DisputeOutcome.REJECT_NEW:
            await reject_fact(to.conn, to.settings, locked, new, old, audit)

    return PendingWrite("settle-dispute", run, [key])


DISPUTES = ClosingStage("disputes", settle_disputes)
