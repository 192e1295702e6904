"""Sleep asks a model about new facts only, and reports the time of its calls."""

from __future__ import annotations

from everword.v1 import maintenance_service_pb2 as pb
from support.learning import say
from support.sleep_calls import Mind, observing, sleep
from support.stack import Stack

TEA, CELLO = ("tea for me", "drink", "tea"), ("the cello at six", "evening_routine", "cello at six")


async def test_sleep_asks_about_new_facts_only(stack: Stack) -> None:
    mind = Mind({"sleep-observe": observing(TEA, CELLO)})
    await say(stack, "It is tea for me in the morning, whatever the others drink.", 0)
    await sleep(stack, mind)
    await say(stack, "And the cello at six, when the neighbours are still out.", 3)
    mind.asked.clear()
    await sleep(stack, mind)
    shown = dict(mind.asked)
    assert [each["value"] for each in shown["sleep-confirm"]["facts"]] == ["cello at six"]
    touched = [each["value"] for each in shown["sleep-edges"]["facts"] if each["touched"]]
    assert touched == ["cello at six"]
    await say(stack, "The weather is dreadful today, and the train was late again.", 6)
    mind.asked.clear()
    await sleep(stack, mind)
    assert not {"sleep-confirm", "sleep-edges"} & set(mind.tasks())
    # The remaining time is estimated from the recorded calls of the last day.
    await say(stack, "It is tea for me again.", 9)
    status = await stack.maintenance.GetQueueStatus(pb.GetQueueStatusRequest())
    assert {"sleep-observe", "sleep-confirm"} <= {each.step for each in status.model_steps}
    assert all(each.tokens_per_second > 0 for each in status.model_steps)
    assert status.HasField("sleep_time_left")
