"""Step 5: confirms suspected facts: by rule if two sessions state them, otherwise if a model finds them supported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any
from uuid import UUID

from everword.domain.trust import TrustPolicy
from everword.facts.conclusions import confirm_fact
from everword.facts.model import FactSource, FactState
from everword.facts.voices import is_trusted
from everword.facts.writer import ChangeReason, lock_attribute
from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion, Records, is_shown
from everword_compactor.sleep.model import KnownFact
from everword_compactor.sleep.prompts import fact_record
from everword_compactor.sleep.relevance import content_words, sentences_about
from everword_compactor.sleep.stages import reads
from everword_compactor.sleep.work import (
    ClosingStage,
    ClosingWork,
    PendingWrite,
    SleepTransaction,
    StageTools,
)

TASK = "sleep-confirm"
MAX_TOKENS = 2_500
#: Sessions in which something is stated, or inferred from behaviour, until it is confirmed.
CONFIRMING, CONFIRMING_INFERENCES = 2, 3
#: Facts that a model looks at, those mentioned most first.
MOST = 80
#: Latest pieces of evidence of a fact that the model is shown.
QUOTES = 5
#: How far back summaries go, how many are looked at, and how many characters of them the model is shown.
SINCE, SUMMARIES, SUMMARY_CHARS = timedelta(days=90), 30, 2_400
_INSTRUCTION = """\
The records `facts` are suspected: said or inferred once. Each comes with its evidence, quoted. `summaries` are \
sentences about conversations of the last three months, `trajectory` is where the person's life is going. Confirm a \
fact only where its evidence and something besides it, another quote or a summary, agree on it, and nothing there \
speaks against it. What was said in jest, as a guess or of somebody else is not confirmed. Do not confirm a fact for \
being likely.
Answer: {"confirmed": [{"fact": 1, "reason": "..."}]}; an empty list is a good answer."""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "confirmed": {
            "type": "array",
            "maxItems": MOST,
            "items": {
                "type": "object",
                "properties": {
                    "fact": {"type": "integer"},
                    "reason": {"type": "string", "minLength": 1, "maxLength": 1_000},
                },
                "required": ["fact", "reason"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["confirmed"],
    "additionalProperties": False,
}


def confirm(tools: StageTools, work: ClosingWork) -> ClosingWork:
    """Confirm suspected facts of the subject."""
    suspected = [
        fact
        for fact in work.loaded.profile.facts
        if fact.id is not None and fact.state is FactState.SUSPECTED and not fact.hypothesis
    ]
    if not suspected:
        return work
    with tools.reading() as conn:
        trust = reads.read_trust(conn, tools.namespace_id)
        ids = [fact.id for fact in suspected if fact.id is not None]
        voices = reads.read_voices(conn, tools.namespace_id, trust, ids)
        sessions = reads.count_sessions(conn, tools.namespace_id, work.subject, trust)
    # Facts with only untrusted evidence are never confirmed.
    suspected = [fact for fact in suspected if fact.id in voices.supported]
    by_rule = [fact for fact in suspected if is_confirmed(fact, _times(sessions, fact))]
    for fact in by_rule:
        how = "inferred" if fact.source is FactSource.INFERRED else "stated"
        work = _confirmed(work, fact, f"{how} in {_times(sessions, fact)} sessions")
    rest = [fact for fact in suspected if fact not in by_rule]
    # The model has been asked about the others, and nothing was said of them since.
    touched = set(work.touched_ids)
    rest = [fact for fact in rest if fact.id in touched]
    rest = sorted(rest, key=lambda fact: (-fact.mentions, fact.first_seen_at))[:MOST]
    if rest and tools.asking is not None:
        for fact, reason in _confirmed_by_model(tools, work, rest, trust):
            work = _confirmed(work, fact, reason)
    return work


def is_confirmed(fact: KnownFact, sessions: int) -> bool:
    """Return whether a suspected fact is confirmed by rule; a repeated behaviour becomes a fact."""
    inferred = fact.source is FactSource.INFERRED
    return sessions >= (CONFIRMING_INFERENCES if inferred else CONFIRMING)


def _times(sessions: Mapping[UUID, int], fact: KnownFact) -> int:
    """Return in how many sessions a fact was stated, as far as that matters."""
    return sessions.get(fact.id, 0) if fact.id else 0


def _confirmed_by_model(
    tools: StageTools, work: ClosingWork, suspected: Sequence[KnownFact], trust: TrustPolicy
) -> list[tuple[KnownFact, str]]:
    """Return the facts that a model finds supported, each with the reason."""
    assert tools.asking is not None
    ids = [fact.id for fact in suspected if fact.id is not None]
    agents = sorted({"", work.subject})
    with tools.reading() as conn:
        evidence = reads.read_evidence(conn, tools.namespace_id, ids)
        since = tools.now - SINCE
        summaries = reads.recent_summaries(conn, tools.namespace_id, agents, since, SUMMARIES)
    evidence = [each for each in evidence if is_trusted(each, trust)]
    words = frozenset().union(*(content_words(fact.value) for fact in suspected))
    shown = [
        replace(each, content=sentences_about(each.content, words))
        for each in summaries
        if not trust.is_open(each.channel)
    ]
    available = tools.asking.room(MAX_TOKENS) // 2
    records: list[dict[str, Any]] = []
    for number, fact in enumerate(suspected, start=1):
        latest = [each.record() for each in reversed(evidence) if each.fact_id == fact.id][:QUOTES]
        record = fact_record(fact, number)
        record["evidence"] = reads.fitting(latest, available)[::-1]
        records.append(record)
    question = ModelQuestion(
        TASK,
        _INSTRUCTION,
        {
            "facts": records,
            "summaries": reads.fitting(
                [each.record() for each in shown if each.content], min(available, SUMMARY_CHARS)
            ),
            "trajectory": [{"summary": work.loaded.trajectory.summary}],
        },
        _SCHEMA,
        MAX_TOKENS,
        ["summaries"],
    )
    answers = tools.asking.ask_in_parts(question, "facts", partial(read_confirmed, suspected))
    return list(chain.from_iterable(answers))


def read_confirmed(
    suspected: Sequence[KnownFact], records: Records, answer: Any
) -> CheckedAnswer[list[tuple[KnownFact, str]]]:
    """Return the confirmed facts of an answer, and complaints about the rest."""
    retained: dict[int, tuple[KnownFact, str]] = {}
    complaints = []
    for entry in answer["confirmed"]:
        number = entry["fact"]
        if is_shown("fact", number, records):
            retained.setdefault(number, (suspected[number - 1], " ".join(entry["reason"].split())))
        else:
            complaints.append(f"there is no fact {number}")
    return CheckedAnswer(list(retained.values()), complaints)


def _confirmed(work: ClosingWork, fact: KnownFact, reason: str) -> ClosingWork:
    assert fact.id is not None
    fact_id = fact.id

    async def run(to: SleepTransaction) -> None:
        locked = await lock_attribute(to.conn, to.namespace_id, to.settings.trust, fact.key)
        audit = ChangeReason("machine", reason)
        await confirm_fact(to.conn, to.settings, locked, fact_id, audit)

    profile = work.loaded.profile.with_fact(replace(fact, state=FactState.CONFIRMED))
    work = replace(work, loaded=work.loaded.with_profile(profile))
    return work.adding(PendingWrite("confirm-fact", run, [fact.key]), facts_confirmed=1)


CONFIRM = ClosingStage("confirm", confirm)
