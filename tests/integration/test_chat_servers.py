"""Servers of several makes refuse forms of answers, each with its own status and words; plainer forms are sent then."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from everword.chat.client import ChatClient
from everword.chat.errors import ChatError, ChatUnavailable
from everword.chat.model import ChatRequest
from everword.chat.settings import ChatSettings
from support.scripted_chat import Body, Reply, ScriptedChat, answer, fail_after, status, user_text

SCHEMA = {
    "type": "object",
    "properties": {"facts": {"type": "array", "items": {"type": "string", "maxLength": 4_000}}},
    "required": ["facts"],
    "additionalProperties": False,
}
ASKED = ChatRequest("sleep-observe", "Be brief.", "I live in Porto.", 100, schema=SCHEMA)
FACTS = {"facts": ["user | residence | Porto"]}
SCHEMA_REFUSED, OBJECT_REFUSED = {"json_schema"}, {"json_schema", "json_object"}


@pytest.fixture
def server() -> Iterator[ScriptedChat]:
    with ScriptedChat(model="any").running() as server:
        yield server


@pytest.fixture
async def client(server: ScriptedChat) -> AsyncIterator[ChatClient]:
    client = ChatClient(ChatSettings(server.url, server.model, pauses_s=()))
    yield client
    await client.close()


def refusing(forms: set[str], refusal: Reply) -> Callable[[Body], Reply]:
    def reply(request: Body) -> Reply:
        form = request.get("response_format", {}).get("type")
        return refusal if form in forms else answer(FACTS)

    return reply


@pytest.mark.parametrize(
    ("refusal", "refused", "form"),
    [
        # llama.cpp, by release, and Ollama.
        (status(400, "failed to parse grammar"), SCHEMA_REFUSED, "json_object"),
        (
            status(500, "Failed to initialize samplers: failed to parse grammar"),
            SCHEMA_REFUSED,
            "json_object",
        ),
        (fail_after("", 500, "failed to parse grammar"), SCHEMA_REFUSED, "json_object"),
        # DeepSeek and Groq.
        (
            status(400, "This response_format type is unavailable now"),
            SCHEMA_REFUSED,
            "json_object",
        ),
        (
            status(400, "This model does not support response format `json_schema`."),
            SCHEMA_REFUSED,
            "json_object",
        ),
        # LM Studio takes `json_schema` and `text`: here with a model for which it takes neither.
        (status(400, "'response_format.type' must be 'text'"), OBJECT_REFUSED, None),
        (status(422, "response_format: Extra inputs are not permitted"), OBJECT_REFUSED, None),
    ],
)
async def test_plainer_form_is_sent_after_a_refusal_and_remembered(
    server: ScriptedChat, client: ChatClient, refusal: Reply, refused: set[str], form: str | None
) -> None:
    server.reply = refusing(refused, refusal)
    assert (await client.complete(ASKED)).value == FACTS
    assert client.dialect.answer_form == (form or "text")
    learned = len(server.requests)
    assert (await client.complete(ASKED)).value == FACTS
    assert len(server.requests) == learned + 1
    sent = server.requests[-1]
    assert sent.get("response_format") == ({"type": form} if form else None)
    assert '"required": ["facts"]' in user_text(sent)
    assert sent["chat_template_kwargs"] == {"enable_thinking": False}


async def test_schemas_are_sent_without_lengths_that_grammars_refuse(
    server: ScriptedChat, client: ChatClient
) -> None:
    server.script.append(answer({"facts": ["long " * 801]}))
    with pytest.raises(ChatError, match="at properties/facts/items/maxLength"):
        await client.complete(ASKED)
    assert "maxLength" not in str(server.requests[-1])


@pytest.mark.parametrize(
    "text",
    [
        'Here are the facts:\n\n```json\n{"facts": ["user | residence | Porto"]}\n```\nAnything else?',
        'With {braces}: {"facts": ["user | residence | Porto"]} That is all.',
        '<think>\nPerhaps {"facts": []}?\n</think>\n\n{"facts": ["user | residence | Porto"]}',
        'Perhaps {"facts": []}?\n</think>\n```\n{"facts": ["user | residence | Porto"]}\n```',
        '{"facts": []}\n\nCorrected:\n{"facts": ["user | residence | Porto"]}',
        '{"facts": ["user | residence | Porto"]}\n\nAs `{"form": 1}` was no such thing.',
    ],
)
async def test_json_is_found_among_thoughts_fences_and_sentences(
    server: ScriptedChat, client: ChatClient, text: str
) -> None:
    server.script.append(answer(text))
    assert (await client.complete(ASKED)).value == FACTS


async def test_error_500_without_words_about_the_form_is_an_outage(
    server: ScriptedChat, client: ChatClient
) -> None:
    server.script.append(status(500, "CUDA error: out of memory"))
    with pytest.raises(ChatUnavailable, match="answers 500"):
        await client.complete(ASKED)
    assert client.dialect.answer_form == "json_schema"
