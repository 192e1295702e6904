"""Callers' names of attributes mean the known attributes; likes and dislikes exclude each other."""

from __future__ import annotations

from everword.v1 import fact_pb2
from everword.v1 import fact_query_service_pb2 as reads
from everword.v1 import fact_service_pb2 as writes
from support.learning import learn, say, told
from support.stack import Stack


async def remember(stack: Stack, attribute: str, value: str) -> writes.RememberResponse:
    request = writes.RememberRequest(subject="emi", attribute=attribute, value=value)
    return await stack.facts.Remember(request)


async def test_synonyms_of_attributes_read_and_write_one_fact(stack: Stack) -> None:
    await say(stack, "I work as a nurse, mostly at night, and I could use a good pair of shoes.", 0)
    await learn(stack)
    baker = await remember(stack, "occupation", "baker")
    assert baker.fact.attribute == "job"
    assert [fact.value for fact in baker.superseded] == ["nurse"]
    explained = await stack.fact_queries.ExplainFact(
        reads.ExplainFactRequest(fact_id=baker.fact.id)
    )
    assert explained.changes[0].reason == "written as occupation"
    await remember(stack, "dog_name", "Rex")
    history = await stack.fact_queries.GetFactHistory(
        reads.GetFactHistoryRequest(subject="emi", attribute="profession")
    )
    assert {fact.value for fact in history.facts} == {"nurse", "baker"}
    listed = await stack.fact_queries.ListFacts(
        reads.ListFactsRequest(subjects=["emi"], attributes=["works_as", "dog_name"])
    )
    assert {(fact.attribute, fact.value) for fact in listed.facts} == {
        ("job", "baker"),
        ("dog_name", "Rex"),
    }
    profile = await stack.fact_queries.GetProfile(
        reads.GetProfileRequest(subject="emi", attributes=["career"])
    )
    assert [fact.value for fact in profile.facts] == ["baker"]


async def test_likes_and_dislikes_of_one_thing_exclude_each_other(stack: Stack) -> None:
    await say(stack, "I love apples, so please put some into the lunch plan for next week.", 0)
    await say(stack, "I hate apples, to be honest, they make my teeth hurt after lunch.", 5)
    await learn(stack)
    tastes = await told(stack)
    assert (tastes.get("like"), tastes["dislike"]) == (None, {"apples"})
    liked = await remember(stack, "likes", "the apple")
    assert [fact.attribute for fact in liked.superseded] == ["dislike"]
    # Disliking fruit disputes liking apples, but does not end it.
    await remember(stack, "dislikes", "fruit")
    request = reads.ListFactsRequest(subjects=["emi"], attributes=["like"])
    [apple] = (await stack.fact_queries.ListFacts(request)).facts
    assert (apple.value, apple.disputed) == ("the apple", True)
    explained = await stack.fact_queries.ExplainFact(reads.ExplainFactRequest(fact_id=apple.id))
    assert explained.fact.contradicting == 1
    assert apple.state == fact_pb2.FACT_STATE_CONFIRMED
