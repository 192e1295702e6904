"""Sleep learns from finished sessions with a model: facts with the words that say so, one transaction a session."""

from __future__ import annotations

from everword.v1 import fact_pb2
from support.learning import history_of, say, told
from support.sleeping import Mind, observing, sleep
from support.stack import Stack


async def test_facts_come_from_what_people_say_with_the_exact_words(stack: Stack) -> None:
    await say(stack, "My brother plays the cello. I take my tea with oat milk, always.", 0)
    mind = Mind({"sleep-observe": observing(("I take my tea with oat milk", "tea", "oat milk"))})
    assert set((await sleep(stack, mind)).values()) <= {"done", "pending"}
    assert (await told(stack))["tea"] == {"oat milk"}
    [fact] = await history_of(stack, "tea")
    assert fact.state == fact_pb2.FACT_STATE_SUSPECTED
