"""The language model as `everword doctor`, `queue-status` and the console's queues show it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from everword.chat.settings import ChatSettings
from support.command_line import everword
from support.databases import DatabaseUnderTest
from support.scripted_chat import Body, Reply, ScriptedChat, answer, cut_off, hang, status
from support.stack import running_stack


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat().running() as server:
        yield server


def without_schemas(request: Body) -> Reply:
    if request.get("response_format", {}).get("type") == "json_schema":
        return status(400, "response_format.type: json_schema is not supported")
    return answer({"city": "Porto"})


async def test_doctor_shows_how_the_model_answers_and_queue_status_its_steps(
    database: DatabaseUnderTest, server: ScriptedChat
) -> None:
    server.reply = without_schemas
    settings = ChatSettings(server.url, server.model, read_timeout_s=1.0)
    async with running_stack(database, chat=settings, embedder=False) as stack:

        async def finding() -> dict[str, object]:
            finished = await everword(stack, "doctor", "--json")
            [found] = [
                each for each in json.loads(finished.output) if each["check"] == "language model"
            ]
            return dict(found)

        found = await finding()
        assert found["ok"]
        assert "JSON by object mode (the server refuses schemas)" in str(found["found"])
        assert "context of 8192 tokens" in str(found["found"])
        for trouble, words in (
            (status(401, "Invalid key"), "401: Invalid key; check EVERWORD_CHAT_API_KEY"),
            (
                hang(),
                "sent nothing for 1 s; if its model is slow, raise EVERWORD_CHAT_READ_TIMEOUT_S",
            ),
            (cut_off(), "cut off at its limit of tokens; the model may be too weak, or think too"),
        ):
            server.always = trouble
            found = await finding()
            assert not found["ok"]
            assert words in str(found["found"])
        shown = (await everword(stack, "queue-status", "--json")).json()
        steps = {each["step"]: each for each in shown["model_steps"]}
        # The probe found out which form of answers the server takes.
        assert steps.keys() == {"check", "probe"}
        assert steps["check"]["timeouts"] == 1
        assert sum(each["calls"] for each in steps.values()) == len(server.requests)
        assert "time-outs" in (await everword(stack, "queue-status")).output
