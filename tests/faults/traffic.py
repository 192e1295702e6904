"""Generated messages: equal for equal seeds, each with a unique word."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from google.protobuf.timestamp_pb2 import Timestamp

from everword.v1 import conversation_pb2, ingest_service_pb2, memory_pb2

NAMESPACES = ("default", "second", "third")
CONVERSATIONS = 4
MOST_IN_A_BATCH = 20
#: Start of conversations and interval of messages, chosen so that all periods up to the year are over.
BEGIN = datetime(2024, 3, 4, 9, tzinfo=UTC)
PAUSE = timedelta(minutes=30)
#: One message in this many is long, is a tool call without text, or cannot be embedded by any model.
LONG_EVERY = 25
TOOL_CALL_EVERY = 30
UNEMBEDDABLE_EVERY = 40
UNEMBEDDABLE = "🎉"
#: Prefix of all words to be erased, and of no others.
ERASED = "zqgone"
_WORDS = re.findall(
    r"\w+",
    """cutover window replica budget invoice garden violin marathon thunder recipe ledger harbour lantern sprint
    review passport kitchen battery orchard deploy rollback staging migration tea""",
)


@dataclass(frozen=True)
class Conversation:
    """A writer's conversation."""

    namespace: str
    session_key: str

    @property
    def target(self) -> ingest_service_pb2.ConversationTarget:
        key = conversation_pb2.ConversationKey(session_key=self.session_key)
        return ingest_service_pb2.ConversationTarget(key=key)


def conversations() -> list[Conversation]:
    return [
        Conversation(namespace, f"conversation-{number}")
        for namespace in NAMESPACES
        for number in range(CONVERSATIONS)
    ]


def batches(
    conversation: Conversation, messages: int, seed: int
) -> Iterator[list[memory_pb2.NewMessage]]:
    """Return the messages of a conversation in batches of random sizes."""
    rng = random.Random(f"{seed} {conversation.namespace} {conversation.session_key}")
    number = 0
    while number < messages:
        size = min(rng.randint(1, MOST_IN_A_BATCH), messages - number)
        yield [_message(rng, conversation, number + at) for at in range(size)]
        number += size


def _message(rng: random.Random, conversation: Conversation, number: int) -> memory_pb2.NewMessage:
    """Return a message with unique content."""
    external_id = f"{conversation.namespace}/{conversation.session_key}/{number}"
    message = memory_pb2.NewMessage(
        external_id=external_id,
        role=memory_pb2.ROLE_USER if number % 2 else memory_pb2.ROLE_ASSISTANT,
        create_time=Timestamp(seconds=int((BEGIN + number * PAUSE).timestamp())),
    )
    if number % TOOL_CALL_EVERY == TOOL_CALL_EVERY // 2:
        message.tool_name = "read_file"
        message.tool_args = json.dumps({"path": external_id})
    else:
        message.content = _content(rng, external_id, number)
    return message


def _content(rng: random.Random, external_id: str, number: int) -> str:
    if number % UNEMBEDDABLE_EVERY == UNEMBEDDABLE_EVERY - 1:
        return UNEMBEDDABLE
    sentences = 30 if number % LONG_EVERY == LONG_EVERY - 1 else 1
    said = (" ".join(rng.choices(_WORDS, k=12)).capitalize() for _ in range(sentences))
    return f"{external_id}: {word_of(external_id)} {'. '.join(said)}."


def word_of(external_id: str) -> str:
    """Return the word that finds only this message."""
    return "zq" + re.sub(r"\W", "", external_id)


def drop_author_names(messages: list[memory_pb2.NewMessage]) -> list[memory_pb2.NewMessage]:
    """Remove external ids from messages with text, so that only the text identifies them."""
    for message in messages:
        if message.content not in ("", UNEMBEDDABLE):
            message.external_id = ""
    return messages


def others_in(text: str, namespace: str) -> list[str]:
    """Return the other namespaces whose messages or notes a text contains."""
    return [
        other
        for other in NAMESPACES
        if other != namespace and (f"{other}/conversation-" in text or f" of {other}" in text)
    ]


def name_of(message: memory_pb2.NewMessage) -> str:
    return message.external_id or message.content.partition(":")[0]
