"""Conversations to measure with: the same for the same seed, in words as frequent as they are in English."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
from numpy.typing import NDArray

from everword.v1 import memory_pb2
from everword.v1.conversation_pb2 import ConversationKey

SEED = 20_261_121
#: Words of a message: lognormal, 25 on average, as chats with an assistant have them.
MEAN_WORDS, SPREAD = 25.0, 0.7
MOST_WORDS = 200
#: Messages of a conversation: geometric, within what one append takes.
MEAN_MESSAGES, MOST_MESSAGES = 40, 100
VOCABULARY = 30_000
#: A conversation comes back to some rarer words; so do the texts near it in meaning.
TOPIC_WORDS, TOPIC_SHARE, TOPIC_FROM = 12, 0.2, 300
#: Every 30th message mentions a code.
CODES_EVERY = 30
SPEAKERS = ("Ada", "Bela", "Chidi", "Dunja", "Emre", "Farah", "Goran", "Hana", "Ivo", "Jun")
FIRST = datetime(2024, 1, 1, tzinfo=UTC)
SPAN = timedelta(days=730)
Words = NDArray[np.int64]


@dataclass(frozen=True)
class CorpusConversation:
    """Messages that belong together, in their order."""

    number: int
    messages: tuple[memory_pb2.NewMessage, ...]

    @property
    def key(self) -> ConversationKey:
        return ConversationKey(session_key=f"speed-{self.number}", agent=f"agent-{self.number % 7}")


def conversations(
    messages: int, stream: int = 0, length: int | None = None
) -> Iterator[CorpusConversation]:
    """Yield conversations with `messages` messages in all; `stream` selects a corpus, `length` fixes their length.

    Messages are tagged with their scopes, see `scopes`.
    """
    rng = np.random.default_rng((SEED, stream))
    number = first = 0
    while first < messages:
        size = length or min(MOST_MESSAGES, int(rng.geometric(1 / MEAN_MESSAGES)) + 1)
        size = min(size, messages - first)
        yield CorpusConversation(number, tuple(_messages(rng, number, first, size, messages)))
        number, first = number + 1, first + size


def scopes(messages: int) -> list[int]:
    """Return the sizes of the scopes of a corpus, each a tag on messages all over it: 100 and up by tens."""
    sizes = [100 * 10**power for power in range(8)]
    return [size for size in sizes if size < messages]


def tag_of(scope: int) -> str:
    return f"scope-{scope}"


def texts(number: int, stream: int) -> list[str]:
    """Return texts of messages."""
    return [
        message.content
        for conversation in conversations(number, stream)
        for message in conversation.messages
    ]


def queries(number: int, messages: int, stream: int = 0) -> list[str]:
    """Return distinct queries of a corpus: 3 to 8 consecutive words of a message."""
    rng = np.random.default_rng((SEED, stream, 1))
    asked: dict[str, None] = {}
    sources = texts(min(messages, 20 * number), stream)
    while len(asked) < number:
        words = sources[int(rng.integers(len(sources)))].lower().strip(".").split()
        size = min(len(words), int(rng.integers(3, 9)))
        start = int(rng.integers(len(words) - size + 1))
        asked[" ".join(words[start : start + size])] = None
    return list(asked)


def _messages(
    rng: np.random.Generator, number: int, first: int, size: int, messages: int
) -> Iterator[memory_pb2.NewMessage]:
    speaker = SPEAKERS[number % len(SPEAKERS)]
    begun = FIRST + SPAN * float(rng.random())
    topic = rng.integers(TOPIC_FROM, len(vocabulary()), TOPIC_WORDS)
    for at in range(size):
        place = first + at
        asks = at % 2 == 0
        message = memory_pb2.NewMessage(
            content=_sentence(rng, topic),
            role=memory_pb2.ROLE_USER if asks else memory_pb2.ROLE_ASSISTANT,
            author=speaker if asks else "assistant",
            external_id=f"m{place}",
            tags=[tag_of(scope) for scope in scopes(messages) if _is_in(place, scope, messages)],
        )
        message.create_time.FromDatetime(begun + timedelta(seconds=40 * at))
        yield message


def _is_in(place: int, scope: int, messages: int) -> bool:
    """Return whether a message is in a scope; the messages of a scope are spread evenly."""
    return place * scope // messages != (place - 1) * scope // messages


def _sentence(rng: np.random.Generator, topic: Words) -> str:
    mean = np.log(MEAN_WORDS) - SPREAD**2 / 2
    size = int(np.clip(rng.lognormal(mean, SPREAD), 3, MOST_WORDS))
    words = np.searchsorted(_cumulative(), rng.random(size))
    of_topic = rng.random(size) < TOPIC_SHARE
    words[of_topic] = rng.choice(topic, int(of_topic.sum()))
    spelled = [vocabulary()[word] for word in words]
    if rng.integers(CODES_EVERY) == 0:
        spelled[int(rng.integers(size))] = f"INV-{rng.integers(100_000):05d}"
    spelled[0] = spelled[0].capitalize()
    return " ".join(spelled) + "."


@cache
def vocabulary() -> list[str]:
    """Return the most frequent words of English, the most frequent first."""
    import wordfreq

    return [word for word in wordfreq.top_n_list("en", 2 * VOCABULARY) if word.isalpha()][
        :VOCABULARY
    ]


@cache
def _cumulative() -> NDArray[np.float64]:
    import wordfreq

    shares = np.array([wordfreq.word_frequency(word, "en") for word in vocabulary()])
    return np.cumsum(shares / shares.sum())
