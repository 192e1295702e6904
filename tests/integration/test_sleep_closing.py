"""The closing steps of Sleep: facts are confirmed, settled, linked, matured and merged, by rule and by a model."""

from __future__ import annotations

from typing import Any

import pytest

from everword.facts.model import FactState
from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as reads
from everword.v1 import fact_service_pb2 as pb
from everword_compactor.sleep import load_inputs
from everword_compactor.sleep.model import Trajectory
from support.learning import day, say, told
from support.sleep_calls import (
    Mind,
    Records,
    classifying,
    observing,
    pass_night,
    rows,
    sleep,
    stored,
)
from support.stack import Stack

BERLIN, LISBON = ("Berlin it is", "residence", "Berlin"), ("Lisbon it is", "residence", "Lisbon")
TEA, CELLO = ("tea for me", "drink", "tea"), ("the cello at six", "evening_routine", "cello at six")
AGAINST = classifying(("Lisbon", "contradict", "Berlin"))


def disputes(stack: Stack) -> list[tuple[Any, ...]]:
    return rows(
        stack,
        """SELECT o.value, n.value, d.outcome, d.decided_by, d.reason FROM fact_disputes d
             JOIN facts o ON o.id = d.old_fact_id JOIN facts n ON n.id = d.new_fact_id ORDER BY d.opened_at""",
    )


async def dispute(stack: Stack, verdict: dict[str, str] | None, *later: str) -> Mind:
    """Let a person state Berlin, then Lisbon, and then the later texts; return the model."""
    for at, text in enumerate(("Berlin it is.", "Lisbon it is, haha.", *later)):
        await say(stack, text, at)
    mind = Mind({"sleep-observe": observing(BERLIN, LISBON), "sleep-classify": AGAINST})
    if verdict:
        mind.answers["sleep-arbitrate"] = verdict
    await sleep(stack, mind)
    return mind


async def test_dispute_rejected_by_model_keeps_old_fact_until_restated(stack: Stack) -> None:
    mind = await dispute(stack, {"outcome": "reject_new", "reason": "It was a joke."})
    assert (await told(stack))["residence"] == {"berlin"}
    assert stored(stack)["residence", "Lisbon"][0] == FactState.REJECTED
    assert disputes(stack) == [("Berlin", "Lisbon", 2, "model", "It was a joke.")]
    [(berlin,)] = rows(stack, "SELECT id::text FROM facts WHERE value = 'Berlin'")
    fact_statement_of = await stack.fact_queries.ExplainFact(
        reads.ExplainFactRequest(fact_id=berlin)
    )
    [one] = fact_statement_of.disputes
    assert (one.old_fact_id, one.outcome) == (berlin, fact_pb2.DISPUTE_OUTCOME_REJECT_NEW)
    assert (one.decided_by, one.reason) == ("model", "It was a joke.")
    [shown] = [records for task, records in mind.asked if task == "sleep-arbitrate"]
    assert [each["text"] for each in shown["messages"]] == ["Berlin it is.", "Lisbon it is, haha."]
    assert [each["value"] for each in shown["timeline"]] == ["Berlin", "Lisbon"]
    # A repeated later statement counts again, and reopens the dispute.
    await say(stack, "Lisbon it is, really.", 9)
    mind.answers["sleep-arbitrate"] = {"outcome": "accept_new", "reason": "They moved."}
    await sleep(stack, mind)
    assert (await told(stack))["residence"] == {"lisbon"}
    assert [each[2:4] for each in disputes(stack)] == [(2, "model"), (1, "rule")]


async def test_correction_by_a_person_is_not_overridden_by_later_sleeps(stack: Stack) -> None:
    await dispute(stack, None)
    berlin = rows(stack, "SELECT id::text FROM facts WHERE value = 'Berlin'")[0][0]
    lisbon = rows(stack, "SELECT id::text FROM facts WHERE value = 'Lisbon'")[0][0]
    await stack.facts.CorrectFact(
        pb.CorrectFactRequest(fact_id=lisbon, value="Berlin", reason="no")
    )
    mind = Mind({"sleep-observe": observing(BERLIN, LISBON), "sleep-classify": AGAINST})
    mind.answers["sleep-arbitrate"] = {"outcome": "accept_new", "reason": "They moved."}
    mind.answers["sleep-confirm"] = {"confirmed": [{"fact": 1, "reason": "sure"}]}
    await say(stack, "Lisbon it is.", -5, session="older")
    await sleep(stack, mind)
    assert (await told(stack))["residence"] == {"berlin"}
    assert stored(stack)["residence", "Lisbon"][0] == FactState.REJECTED
    assert berlin != lisbon


async def test_dispute_is_settled_by_rule_if_new_value_is_stated_twice(stack: Stack) -> None:
    mind = await dispute(stack, None, "Lisbon it is, as I said.")
    assert (await told(stack))["residence"] == {"lisbon"}
    [settled] = disputes(stack)
    assert settled[2:4] == (1, "rule")
    assert "sleep-arbitrate" not in mind.tasks()


async def test_dispute_older_than_90_days_is_settled_for_more_frequent_value(stack: Stack) -> None:
    for at, text in enumerate(("Berlin it is.", "Berlin it is.", "Lisbon it is.")):
        await say(stack, text, at)
    mind = Mind({"sleep-observe": observing(BERLIN, LISBON), "sleep-classify": AGAINST})
    # No decision now; after ninety days the rule decides.
    await sleep(stack, mind)
    with stack.database.connect() as conn:
        conn.execute(
            """UPDATE fact_disputes SET opened_at = now() - interval '91 days', settled_at = NULL, outcome = NULL,
                      decided_by = NULL"""
        )
    pass_night(stack)
    await sleep(stack)
    assert (await told(stack))["residence"] == {"berlin"}
    assert disputes(stack)[0][2:4] == (2, "rule")


async def test_model_confirms_only_existing_facts_it_selects(stack: Stack) -> None:
    await say(stack, "It is tea for me, and the cello at six.", 0)

    def confirm(records: Records) -> Any:
        [tea] = [fact["fact"] for fact in records["facts"] if fact["value"] == "tea"]
        assert records["facts"][tea - 1]["evidence"][0]["quote"].startswith("It is tea for me")
        return {
            "confirmed": [{"fact": tea, "reason": "Said and seen."}, {"fact": 77, "reason": "x"}]
        }

    mind = Mind({"sleep-observe": observing(TEA, CELLO), "sleep-confirm": confirm})
    await sleep(stack, mind)
    facts = stored(stack)
    assert facts["drink", "tea"][0] == FactState.CONFIRMED
    assert facts["evening_routine", "cello at six"][0] == FactState.SUSPECTED
    # The model was corrected once for naming fact 77, which does not exist.
    assert mind.tasks().count("sleep-confirm") == 2


async def test_fact_edge_ends_when_one_of_its_facts_is_closed(stack: Stack) -> None:
    await say(stack, "It is tea for me, and the cello at six.", 0)

    def link(records: Records) -> Any:
        number = {fact["value"]: fact["fact"] for fact in records["facts"]}
        edge = {"from": number["cello at six"], "to": number["tea"], "relation": "causes"}
        return {"edges": [{**edge, "confidence": 0.7, "reason": "It calms."}]}

    mind = Mind({"sleep-observe": observing(TEA, CELLO), "sleep-edges": link})
    await sleep(stack, mind)
    edges = "SELECT relation, confidence, reason, known_until IS NULL, valid_until IS NULL FROM fact_edges"
    assert rows(stack, edges) == [(1, 0.7, "It calms.", True, True)]
    [(tea,)] = rows(stack, "SELECT id::text FROM facts WHERE value = 'tea'")
    explain = reads.ExplainFactRequest(fact_id=tea)
    [found] = (await stack.fact_queries.ExplainFact(explain)).links
    assert not found.HasField("valid_until_time")
    assert (found.relation, found.other.value) == (fact_pb2.FACT_RELATION_CAUSES, "cello at six")
    await stack.facts.CloseFact(pb.CloseFactRequest(fact_id=tea))
    assert rows(stack, edges) == [(1, 0.7, "It calms.", False, False)]
    explained = await stack.fact_queries.ExplainFact(explain)
    assert [each.valid_until_time.seconds > 0 for each in explained.links] == [True]


async def test_duplicate_facts_are_merged_and_anchor_facts_are_marked(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    beatles, short = (
        ("I love the Beatles", "like", "the Beatles"),
        ("I like Beatles", "like", "Beatles"),
    )
    job = ("I build organs", "job", "organ builder")
    await say(stack, "I love the Beatles. I build organs.", 0)
    await say(stack, "I like Beatles.", 2)
    anchored = Trajectory("Organs.", ["organ builder"], day(1))
    monkeypatch.setattr(load_inputs, "read_trajectory", lambda *_: anchored)
    await sleep(stack, Mind({"sleep-observe": observing(beatles, short, job)}))
    # The first night closed both sessions at once.
    assert (await told(stack))["like"] == {"the beatles"}
    assert stored(stack)["like", "the Beatles"] == (FactState.SUSPECTED, 2, 0)
    assert rows(stack, "SELECT value FROM facts WHERE is_anchor") == [("organ builder",)]
