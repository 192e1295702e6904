"""A node written by a model covers its sources sufficiently, or is rejected."""

from __future__ import annotations

from everword.chat.blocking import BlockingChat
from everword.chat.settings import ChatSettings
from everword_compactor.compose.llm.composer import LlmComposer
from everword_compactor.compose.model import Draft, Level
from support.extractive import message
from support.scripted_chat import ScriptedChat, answer, user_text


def test_summary_with_low_coverage_is_retried_once_and_then_replaced() -> None:
    told = [
        "Ines rents the flat in Porto.",
        "The boiler is a Vaillant VC-206, serial 21-0187-44.",
        "Order PO-88213 is due on 5 March.",
        "Bruno feeds the two cats.",
    ]
    given = Draft(Level.LEAF, [message(n, "Emi", text) for n, text in enumerate(told)], "Flat")
    little = {"summary": "Ines rents a flat in Porto."}
    with ScriptedChat(context_tokens=32_768).running() as server:
        chat = BlockingChat(ChatSettings(server.url, server.model), beat_s=0.05)
        composer = LlmComposer(chat)
        server.script += [answer(little), answer({"summary": " ".join(told)})]
        made = composer.compose(given, lambda: None)
        assert not made.needs_review
        assert made.content == " ".join(told)
        first, second = map(user_text, server.requests)
        for missing in ("- PO-88213", "- Bruno feeds the two cats."):
            assert missing not in first
            assert missing in second
        server.script += [answer(little), answer(little)]
        made = composer.compose(given, lambda: None)
        # Sentences of the sources replace it.
        assert "Order PO-88213 is due on 5 March." in made.content
        assert made.faithfulness.extractive
        assert len(server.requests) == 4
        chat.close()
