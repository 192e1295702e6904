"""Facts that Sleep has just learned are in the context of the next conversation, without any preparation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from everword.v1 import context_service_pb2 as context
from support.calls import append_request, target
from support.context_lines import without_marks
from support.learning import day, say
from support.sleep_calls import Mind, Records, observing, sleep
from support.stack import Stack

TEA, CELLO = "tea for me", "the cello at six"
ANNA, SURGERY = "My wife Anna", "knee surgery"


async def test_next_context_contains_everything_sleep_learned(stack: Stack) -> None:
    date = (datetime.now(UTC) + timedelta(days=9)).date().isoformat()
    texts = (
        f"It is {TEA}, and {CELLO}.",
        f"{ANNA} sings in a choir.",
        f"My {SURGERY} is on {date}.",
        "Just do it.",
        "No. Ship it now.",
    )
    for text in texts:
        await say(stack, text, 0, session="tea" if TEA in text else "s")
    await sleep(stack, Mind(_answers(date)))
    request = append_request("Hello! How is Anna?")
    request.conversation.CopyFrom(target("next", subject="emi"))
    next_ = (await stack.ingest.AppendMessages(request)).conversation_id
    found = await stack.context.BuildContext(
        context.BuildContextRequest(
            conversation_id=next_, query="How is Anna? A drink?", max_recent_turns=1
        )
    )
    # Neither these words nor the start of the session show the message that states the facts; it would replace them.
    known = {
        block.source: [without_marks(item.text) for item in block.items] for block in found.blocks
    }
    told = day(0).date()
    identity = known[context.CONTEXT_SOURCE_IDENTITY]
    assert f"Evening: cello at six (suspected, as of {told}, causes: Drink)" in identity
    life = known[context.CONTEXT_SOURCE_LIFE]
    assert "Communication: directness direct" in life
    assert any(line.startswith("Anna: wife") for line in life)
    assert f"Knee surgery: health, {date}" in life


def _answers(date: str) -> dict[str, Any]:
    observe = observing(
        (TEA, "drink", "tea"),
        (CELLO, "evening", "cello at six"),
        (ANNA, "wife", "Anna"),
        (SURGERY, "surgery", SURGERY),
    )

    def link(records: Records) -> Any:
        number = {fact["value"]: fact["fact"] for fact in records["facts"]}
        edge = {"from": number["cello at six"], "to": number["tea"], "relation": "causes"}
        return {"edges": [{**edge, "confidence": 0.9, "reason": "It calms."}]}

    def name(records: Records) -> Any:
        of = [each["o"] for each in records["observations"] if ANNA in each["quotes"][0]]
        wife = {"name": "Anna", "relation": "wife", "status": "", "words": ANNA}
        return {"people": [{"o": o, **wife} for o in of]}

    def happen(records: Records) -> Any:
        of = [each["o"] for each in records["observations"] if SURGERY in each["quotes"][0]]
        fields = {"category": "health", "start": date, "end": "", "importance": 0.8}
        event = {"title": "Knee surgery", **fields, "decay_days": 365, "status": "", "words": ""}
        return {"events": [{"o": o, **event} for o in of]}

    def describe(records: Records) -> Any:
        said = [
            each
            for each in records["messages"]
            if each["text"] in ("Just do it.", "No. Ship it now.")
        ]
        quotes = [{"n": each["n"], "words": each["text"]} for each in said]
        return {"traits": [{"dimension": "directness", "value": "direct", "quotes": quotes}]}

    return {
        "sleep-observe": observe,
        "sleep-edges": link,
        "sleep-people": name,
        "sleep-events": happen,
        "sleep-user-model": describe,
    }
