"""Compares the claims of a session with its labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from everword.bench.learning.labels import ExpectedFact, Session, Trap, Update
from everword.bench.learning.matching import Claim, Matcher

#: Verdicts of claims: in agreement with a label, a superseded value, a trap, or in no label.
RIGHT, OUTDATED, TRAP, UNLISTED = "right", "outdated", "trap", "unlisted"


@dataclass(frozen=True)
class JudgedClaim:
    """A believed claim with its verdict."""

    claim: Claim
    verdict: str
    #: The attribute under which it is counted: that of its label, or its own.
    attribute: str
    #: The trap, if it is one.
    trap: Trap | None = None


@dataclass(frozen=True)
class Judgement:
    """The result for a session."""

    session: Session
    claims: Sequence[JudgedClaim]
    #: Expected facts that some claim states, and the others that are required.
    found: Sequence[ExpectedFact]
    missed: Sequence[ExpectedFact]
    #: Found facts with a start date, and those of them whose claim has this date.
    dated: int
    dated_right: int
    #: For each update, whether the current value is believed, and whether the old one is not.
    updates: Sequence[tuple[Update, bool, bool]]


def judge(
    session: Session, synonyms: Mapping[str, Sequence[str]], claims: Sequence[Claim]
) -> Judgement:
    """Judge the claims that are believed at the end of a session."""
    matcher = Matcher(session, synonyms)
    believed = [each for each in claims if each.believed]
    stating = {
        index: [claim for claim in believed if matcher.matches(claim, fact)]
        for index, fact in enumerate(session.facts)
    }
    judged = [_judge(claim, session, matcher, stating) for claim in believed]
    outdated = {each.claim for each in judged if each.verdict == OUTDATED}
    stated = {
        index: [each for each in claims if each not in outdated]
        for index, claims in stating.items()
    }
    found = [session.facts[index] for index, each in stated.items() if each]
    missed = [
        fact for index, fact in enumerate(session.facts) if fact.required and not stated[index]
    ]
    dated = [
        any(claim.since.startswith(session.facts[index].since) for claim in each)
        for index, each in stated.items()
        if each and session.facts[index].since
    ]
    return Judgement(
        session=session,
        claims=judged,
        found=found,
        missed=missed,
        dated=len(dated),
        dated_right=sum(dated),
        updates=[_update(each, matcher, claims) for each in session.updates],
    )


def _judge(
    claim: Claim, session: Session, matcher: Matcher, stating: Mapping[int, Sequence[Claim]]
) -> JudgedClaim:
    for update in session.updates:
        if _is_outdated(claim, update, matcher):
            return JudgedClaim(claim, OUTDATED, update.old.attributes[0])
    for index, claims in stating.items():
        if claim in claims:
            return JudgedClaim(claim, RIGHT, session.facts[index].attributes[0])
    own = matcher.attribute_of(claim)
    for trap in session.traps:
        if matcher.matches(claim, trap):
            return JudgedClaim(claim, TRAP, own, trap)
    return JudgedClaim(claim, UNLISTED, own)


def _is_outdated(claim: Claim, update: Update, matcher: Matcher) -> bool:
    if not matcher.matches(claim, update.old):
        return False
    return update.current is None or not matcher.matches(claim, update.current)


def _update(update: Update, matcher: Matcher, claims: Sequence[Claim]) -> tuple[Update, bool, bool]:
    expected = update.current or update.old
    # Without a new value, the old one must have been learned and ended.
    has_current = any(
        claim.believed == (update.current is not None) and matcher.matches(claim, expected)
        for claim in claims
    )
    has_old = any(claim.believed and _is_outdated(claim, update, matcher) for claim in claims)
    return update, has_current, not has_old
