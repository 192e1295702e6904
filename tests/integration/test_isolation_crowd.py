"""Twenty namespaces with a word of their own in all texts: no RPC answers with a word of another namespace."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor

from fuzz.kinds import kind_of
from scripts.recipes import Recipe
from support.databases import DatabaseUnderTest
from support.every_read import read_methods
from support.probes import keep
from support.stack import Stack
from support.twins import SHARED_LISTS, Twins, recipes, twins

#: By namespace. None is so like another that searches would correct it.
WORDS = {
    f"crowd-{number}": word
    for number, word in enumerate(
        (
            *("kestrel", "plover", "siskin", "wagtail", "bittern", "dunlin", "garganey", "osprey"),
            *(
                "lapwing",
                "merganser",
                "nuthatch",
                "pipit",
                "quail",
                "redshank",
                "smew",
                "turnstone",
            ),
            *("whimbrel", "yaffle", "cormorant", "fieldfare"),
        )
    )
}
NAMES = tuple(WORDS)
#: Kinds of free text, to which the namespace's word is added.
TEXTS = frozenset({"content", "description", "title", "value", "label", "reason", "subject"})
_WORD = re.compile(rf"\b(?:{'|'.join(WORDS.values())})\b")
#: Errors that are no answers.
_FAILED = {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.UNAVAILABLE}


def _neighbour(name: str) -> str:
    return NAMES[(NAMES.index(name) + 1) % len(NAMES)]


def _add_words(message: Any, name: str) -> None:
    """Add the namespace's word to each text, and another namespace's word to each query."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if not field.message_type.GetOptions().map_entry:
                for each in value if field.is_repeated else [value]:
                    _add_words(each, name)
        elif field.type == FieldDescriptor.TYPE_STRING and not field.is_repeated:
            if (
                kind_of(field) in TEXTS and value != "user"
            ):  # The label of a node that each graph has.
                setattr(message, field.name, f"{value} {WORDS[name]}")
            elif field.name == "query":
                setattr(message, field.name, f"{value} {WORDS[_neighbour(name)]}")


class Crowd:
    """Calls of recipes in all namespaces at once, and the words in their answers."""

    def __init__(self, namespaces: Twins) -> None:
        self._namespaces = namespaces
        # Uploads are parsed in a process each.
        self._slots = asyncio.Semaphore(4)
        #: RPCs with the namespace's own word in an answer.
        self.with_own: set[str] = set()
        #: Answers with other words, and failures.
        self.wrong: list[str] = []

    async def call(self, method: MethodDescriptor, recipe: Recipe, *, first: bool) -> None:
        """Call a recipe in each namespace. The `first` call's answers have the ids that later recipes name."""
        if first and recipe.method == "ListTopics":
            for name in NAMES:
                await self._namespaces.learn(name)
        await asyncio.gather(*(self._call(method, recipe, name, first) for name in NAMES))

    async def _call(self, method: MethodDescriptor, recipe: Recipe, name: str, first: bool) -> None:
        requests = self._namespaces.requests(method, recipe, name)
        for request in requests:
            _add_words(request, name)
        try:
            async with self._slots:
                answers = await self._namespaces.call(method, recipe, requests, name)
        except grpc.aio.AioRpcError as error:
            if first and recipe.keep:
                raise
            if error.code() in _FAILED:
                self.wrong.append(f"{method.name} in {name}: {error.details()}")
            answers = [error.details()]
        else:
            if first:
                keep(recipe, answers, self._namespaces.kept[name])
        words = set(_WORD.findall(" ".join(map(str, answers))))
        if words - {WORDS[name]}:
            self.wrong.append(f"{method.name} in {name}: {words}")
        if WORDS[name] in words:
            self.with_own.add(method.name)


@pytest.fixture
async def crowd(stack: Stack) -> AsyncIterator[Crowd]:
    async with twins(stack, *NAMES) as namespaces:
        yield Crowd(namespaces)


def _nodes(database: DatabaseUnderTest) -> int:
    """Return the number of nodes with namespaces of the crowd."""
    with database.connect() as conn:
        row = conn.execute(
            "SELECT count(DISTINCT p.nodeport) FROM namespaces n JOIN pg_dist_shard_placement p "
            "ON p.shardid = get_shard_id_for_distribution_column('messages', n.id) WHERE n.name = ANY(%s)",
            [list(NAMES)],
        ).fetchone()
    assert row
    return int(row[0])


@pytest.mark.slow
async def test_no_answer_has_a_word_of_another_namespace(
    crowd: Crowd, database: DatabaseUnderTest, pytestconfig: pytest.Config
) -> None:
    if pytestconfig.getoption("--citus"):
        assert _nodes(database) == 2
    for method, recipe in recipes():
        if method.name not in SHARED_LISTS:
            await crowd.call(method, recipe, first=True)
    first = set(crowd.with_own)
    reads = {each.full_name for each in read_methods()}
    # Now all namespaces are full.
    for method, recipe in recipes():
        if method.full_name in reads and method.name not in SHARED_LISTS:
            await crowd.call(method, recipe, first=False)
    wrong = defaultdict(list)
    for each in crowd.wrong:
        wrong[each.partition(" in ")[0]].append(each)
    assert {name: found[0] for name, found in wrong.items()} == {}
    assert len(first) > 40, sorted(first)
