"""Generated foreign messages: sentences of other sets, shuffled into conversations of other people.

A conversation has sentences of one set, and every set has equally many conversations, so a small set of chats has the
weight of a large one of long answers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from everword.bench.native_format import BenchSet
from everword.transcripts import Entry
from everword.v1 import memory_pb2
from everword.v1.ingest_service_pb2 import ConversationTarget

SEED = 20_240_229
SENTENCES = (2, 4)
#: Approximate number of messages in a conversation.
CONVERSATION = 500
#: Number of turns in a session. Turns are minutes apart, sessions days.
SESSION = (8, 30)
TURN_S = (15.0, 240.0)
PAUSE_S = (6 * 3600.0, 8 * 86_400.0)
FIRST = datetime(2022, 1, 1, tzinfo=UTC)
SPAN_S = 2 * 365 * 86_400.0
#: Shorter texts have no content; longer ones are tables or code.
SENTENCE_CHARS = (15, 300)
SENTENCE_WORDS = 3
_END = re.compile(r"(?<=[.!?])\s+|\n+")
#: Number of consecutive duplicates after which generation fails.
ATTEMPTS = 100

_FIRST_NAMES = """
Aaron Abigail Adam Adrian Aisha Alan Albert Alejandro Alexander Alice Alicia Amanda Amber Amy Ana Andrea Andrew Angela
Anita Anna Anthony Antonio April Arjun Arthur Ashley Astrid Audrey Austin Barbara Beatrice Benjamin Beth Beverly Bianca
Bradley Brandon Brenda Brian Bruce Bruno Carla Carlos Carmen Catherine Cecilia Charles Charlotte Cheryl Christian
Christine Claire Clara Claudia Connor Craig Cynthia Daniel Danielle David Deborah Dennis Derek Diana Diego Dmitri
Donald Donna Dorothy Douglas Dylan Edith Edward Eleanor Elena Elijah Elizabeth Ella Ellen Emily Emma Eric Erica Ethan
Eva Evelyn Fatima Felix Fernando Fiona Frances Francis Frank Frederick Gabriel George Gerald Gloria Grace Gregory Hannah
Harold Harper Heather Hector Helen Henrik Henry Holly Hugo Ian Ines Ingrid Irene Isaac Isabel Ivan Jack Jacob James
Jamal Janet Jasmine Jason Jeffrey Jennifer Jessica Joan Joe Jonathan Jordan Jose Joseph Joshua Joyce Juan Judith Julia
Julian June Karen Karim Katherine Keith Kelly Kenneth Kimberly Kyle Lars Laura Lauren Leah Leo Leon Leila Linda Lisa
Logan Louis Lucas Lucia Luis Lydia Madison Marcus Margaret Marie Mark Martha Martin Mary Mason Matthew Megan Mei Michael
Michelle Miguel Mohammed Monica Nadia Nancy Naomi Natalie Nathan Nicholas Nicole Nina Noah Nora Olga Oliver Olivia Omar
Oscar Owen Pablo Pamela Patricia Patrick Paul Pedro Peter Philip Priya Rachel Ralph Raymond Rebecca Richard Robert Rosa
Rose Russell Ruth Ryan Samantha Samuel Sandra Sara Scott Sean Sergio Sharon Simon Sofia Sophie Stella Stephen Steven
Susan Sven Tariq Teresa Theodore Thomas Tiffany Tomas Tyler Valerie Vanessa Vera Victor Victoria Vincent Virginia Walter
Wei Wendy Will William Xavier Yasmin Yuki Yusuf Zachary Zoe
"""


def foreign_entries(
    sources: Sequence[BenchSet], under_test: BenchSet, number: int
) -> Iterator[Entry]:
    """Yield `number` distinct messages, the same in each run.

    They contain no sentence of the set under test, and none of its authors' names. Raises ValueError if a source has
    too few sentences.
    """
    rng = random.Random(SEED)
    own = frozenset(sentences_of(under_test))
    said = [[each for each in sentences_of(source) if each not in own] for source in sources]
    names = _names(but=under_test)
    seen: set[str] = set()
    conversation = 0
    while len(seen) < number:
        size = min(rng.randint(CONVERSATION * 4 // 5, CONVERSATION * 6 // 5), number - len(seen))
        authors = rng.sample(names, 2)
        target = ConversationTarget()
        target.key.session_key = f"foreign-{conversation:05}"
        times = _times(rng, size)
        for turn, moment in enumerate(times):
            speaker = rng.random() < 0.5
            message = memory_pb2.NewMessage(
                external_id=str(turn),
                role=memory_pb2.ROLE_USER if speaker else memory_pb2.ROLE_ASSISTANT,
                author=authors[speaker],
                content=_new_text(said[conversation % len(said)], seen, rng),
            )
            message.create_time.FromDatetime(moment)
            yield Entry(target, message)
        conversation += 1


def sentences_of(bench_set: BenchSet) -> list[str]:
    """Return the sentences of a set without duplicates, in their original order."""
    sentences = (
        " ".join(sentence.split())
        for dataset in bench_set.datasets
        for entry in dataset.entries
        for sentence in _END.split(entry.message.content)
    )
    return list(dict.fromkeys(filter(_is_said, sentences)))


def _is_said(sentence: str) -> bool:
    least, most = SENTENCE_CHARS
    return least <= len(sentence) <= most and len(sentence.split()) >= SENTENCE_WORDS


def _names(but: BenchSet) -> list[str]:
    authors = {entry.message.author for dataset in but.datasets for entry in dataset.entries}
    words = {word.casefold() for author in authors for word in author.split()}
    return [name for name in _FIRST_NAMES.split() if name.casefold() not in words]


def _new_text(said: Sequence[str], seen: set[str], rng: random.Random) -> str:
    """Return a text that is not in `seen`, and add it there."""
    if len(said) >= SENTENCES[1]:
        for _ in range(ATTEMPTS):
            text = " ".join(rng.sample(said, rng.randint(*SENTENCES)))
            if text not in seen:
                seen.add(text)
                return text
    raise ValueError(f"{len(said)} sentences are too few for so many messages")


def _times(rng: random.Random, size: int) -> Iterator[datetime]:
    """Yield the times of a conversation's messages, in sessions."""
    moment = FIRST + timedelta(seconds=rng.random() * SPAN_S)
    left = rng.randint(*SESSION)
    for _ in range(size):
        yield moment.replace(microsecond=0)
        left -= 1
        between = TURN_S if left else PAUSE_S
        left = left or rng.randint(*SESSION)
        moment += timedelta(seconds=rng.uniform(*between))
