"""Standing instructions of a user are learned by rule, and are in every context of the user until their opposite."""

from __future__ import annotations

from everword.v1 import context_service_pb2 as context
from support.calls import target
from support.learning import learn, say, told
from support.stack import Stack

_SMALL_TALK = [
    "Could you explain how a heat pump works in an old house with thick stone walls, and what it costs per year?",
    "The neighbours are renovating again, so I spent the whole weekend in the library reading about roman concrete.",
    "We are still choosing a colour for the hallway; the samples look different in every light and nobody agrees.",
]


async def _context_of(stack: Stack, query: str) -> str:
    """Return the context of a new conversation with default settings."""
    await say(stack, query, 20, session="new")
    request = context.BuildContextRequest(query=query)
    request.conversation.CopyFrom(context.ContextConversation(key=target("new").key))
    response = await stack.context.BuildContext(request)
    return "\n".join(item.text for block in response.blocks for item in block.items)


async def test_standing_instructions_are_in_every_context_until_their_opposite(
    stack: Stack,
) -> None:
    await say(
        stack, "Please don't use emojis. They look silly in the reports that I paste this into.", 0
    )
    await say(stack, "please answer in Norwegian", 1)
    await say(stack, "I prefer window seats on trains, by the way.", 2)
    await say(
        stack,
        "I can't have ibuprofen, it makes my asthma flare up. What helps with a sore back?",
        3,
    )
    for number, text in enumerate(
        [
            "Please answer in French this time.",
            "I always wanted to see Rome.",
            "Never mind, I found it in the settings.",
            "Write a short poem about the sea. Don't use any jargon.",
            *_SMALL_TALK,
        ]
    ):
        await say(stack, text, 4 + number, session=f"other{number}")
    # Instructions with the same words but one are no repetitions of each other.
    await say(stack, "Don't use hashtags.", 12, session="hashtags")
    await learn(stack)
    known = await told(stack)
    assert known["standing_instruction"] == {
        "don't use emojis",
        "answer in norwegian",
        "don't use hashtags",
    }
    assert known["preference"] == {"i prefer window seats on trains, by the way"}
    assert known["restriction"] == {"i can't have ibuprofen, it makes my asthma flare up"}

    shown = await _context_of(
        stack, "What is the capital of Peru, and how high does it lie above the sea?"
    )
    for value in (
        "don't use emojis",
        "Don't use hashtags",
        "answer in Norwegian",
        "I prefer window seats on trains",
        "I can't have ibuprofen",
    ):
        assert value in shown

    await say(stack, "You can use emojis again, and thanks.", 21, session="new")
    await say(stack, "Please reply in English from now on.", 22, session="new")
    await learn(stack)
    known = await told(stack)
    assert known["standing_instruction"] == {"don't use hashtags", "reply in english from now on"}
