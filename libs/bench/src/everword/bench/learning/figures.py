"""Precision and recall of learned claims, from judgements of sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from everword.bench.learning.judgement import RIGHT, TRAP, Judgement

Row = dict[str, Any]


def step_row(name: str, step: str, judgements: Sequence[Judgement]) -> Row:
    """Return the figures of one step of learning over some sessions."""
    claims = [each for judgement in judgements for each in judgement.claims]
    updates = [each for judgement in judgements for each in judgement.updates]
    found = sum(fact.required for judgement in judgements for fact in judgement.found)
    expected = found + sum(len(judgement.missed) for judgement in judgements)
    right = sum(each.verdict == RIGHT for each in claims)
    return {
        "set": name,
        "step": step,
        "expected": expected,
        "found": found,
        "recall": _share(found, expected),
        "claims": len(claims),
        "right": right,
        "precision": _share(right, len(claims)),
        "optional": sum(not fact.required for each in judgements for fact in each.found),
        "traps": sum(each.verdict == TRAP for each in claims),
        "updates": len(updates),
        # Both are necessary: an update of which nothing was learned is not right.
        "updated": sum(has_current and ended for _, has_current, ended in updates),
        "outdated": sum(not ended for *_, ended in updates),
        "dated": sum(each.dated for each in judgements),
        "dates-right": sum(each.dated_right for each in judgements),
    }


def attribute_rows(judgements: Iterable[Judgement]) -> list[Row]:
    """Return expected and learned facts of each attribute, the most frequent attributes first."""
    counts: dict[str, dict[str, int]] = {}

    def count(attribute: str, name: str) -> None:
        row = counts.setdefault(attribute, {"expected": 0, "found": 0, "claims": 0, "right": 0})
        row[name] += 1

    for judgement in judgements:
        for fact in judgement.session.facts:
            if fact.required:
                count(fact.attributes[0], "expected")
        for fact in judgement.found:
            if fact.required:
                count(fact.attributes[0], "found")
        for each in judgement.claims:
            count(each.attribute, "claims")
            if each.verdict == RIGHT:
                count(each.attribute, "right")
    rows = [
        {
            "attribute": attribute,
            **row,
            "recall": _share(row["found"], row["expected"]),
            "precision": _share(row["right"], row["claims"]),
        }
        for attribute, row in counts.items()
    ]
    return sorted(rows, key=lambda row: (-row["expected"], -row["claims"], row["attribute"]))


def claim_rows(judgement: Judgement, step: str) -> list[Row]:
    """Return a row for each claim of a session."""
    return [
        {
            "conversation": judgement.session.name,
            "step": step,
            "kind": each.claim.kind,
            "subject": each.claim.subject,
            "attribute": each.claim.attribute,
            "value": each.claim.value,
            "since": each.claim.since,
            "verdict": each.verdict,
            "trap": each.trap.kind if each.trap else "",
            "quote": each.claim.quote,
        }
        for each in judgement.claims
    ]


def missed_rows(judgement: Judgement) -> list[Row]:
    """Return a row for each required fact that no claim states."""
    return [
        {
            "conversation": judgement.session.name,
            "subject": fact.subject,
            "attribute": fact.attributes[0],
            "value": fact.values[0],
            "evidence": list(fact.evidence),
        }
        for fact in judgement.missed
    ]


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
