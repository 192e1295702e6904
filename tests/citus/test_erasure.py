"""Erasures on a distributed database: no node keeps the text, and other namespaces keep theirs."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass

import pytest

from everword.db.migrate import create_service_login, migrate
from everword.integrity.verify import verify_everything
from everword.v1 import erasure_service_pb2 as pb
from support.callers import make_namespaces, within
from support.calls import append, append_request, message
from support.calls import target as conversation
from support.citus_cluster import Cluster, connect, temporary_cluster
from support.corpus import search_request
from support.databases import LOGIN, PASSWORD
from support.erasure_checks import count, erase
from support.erasure_planted import Planted, plant
from support.refusals import refused
from support.stack import Stack, running_stack
from support.waits import until

pytestmark = pytest.mark.slow

NEIGHBOUR = "neighbour"
#: Fields of the erasure, by target.
TARGETS: dict[str, Callable[[Planted], dict[str, str]]] = {
    "message": lambda planted: {"message_id": planted.message_ids[0]},
    "conversation": lambda planted: {"conversation_id": planted.conversation_id},
    "subject": lambda planted: {"subject": planted.subject},
    "author": lambda planted: {"author": planted.author},
}
#: Rows of these tables derive from the planted messages.
DERIVED = {
    *("messages", "memories", "facts", "fact_evidence", "graph_node_versions", "graph_edges"),
    *("summaries", "people", "events", "user_models", "trajectories", "strategies"),
}
_SHARD = re.compile(r"(\w+?)(?:_p0)?_\d{6,}")
#: Tables with rows on a node: shards, copies of reference tables, and on the coordinator its own tables.
_STORED = """
SELECT c.relname, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'namespace_id')
  FROM pg_class c
 WHERE c.relnamespace = 'everword'::regnamespace AND c.relkind = 'r'
   AND NOT EXISTS (SELECT 1 FROM pg_dist_partition p WHERE p.logicalrelid = c.oid)
"""


@dataclass(frozen=True)
class Erasable:
    """A cluster whose database got its rows before it was distributed."""

    cluster: Cluster
    planted: dict[str, Planted]

    def run(self, test: Callable[[Stack], Awaitable[None]]) -> None:
        """Run a test with services."""

        async def run() -> None:
            async with running_stack(self.cluster.database) as stack:
                await test(stack)

        asyncio.run(run())

    def rows_with(self, token: str) -> dict[int, Counter[str]]:
        """Return the rows with a token on all nodes by namespace and table; namespace 0 for rows of none."""
        found: dict[int, Counter[str]] = {}
        for url in self.cluster.nodes:
            for table, namespace, number in _stored_rows(url, token):
                found.setdefault(namespace, Counter())[table] += number
        return found


def _stored_rows(url: str, token: str) -> list[tuple[str, int, int]]:
    with connect(url) as conn:
        conn.execute("SET citus.override_table_visibility = off")
        tables = conn.execute(_STORED).fetchall()
        statement = " UNION ALL ".join(
            f"SELECT '{_table_of(name)}', {'namespace_id' if isolated else '0::bigint'}, count(*) FROM {name} AS t "
            "WHERE strpos(lower(t::text), %(token)s) > 0 OR strpos(t::text, %(bytes)s) > 0 GROUP BY 2"
            for name, isolated in tables
        )
        named = {"token": token.lower(), "bytes": token.encode().hex()}
        return conn.execute(statement.encode(), named).fetchall()


def _table_of(name: str) -> str:
    match = _SHARD.fullmatch(name)
    return match[1] if match else name


@pytest.fixture(scope="module")
def erasable() -> Iterator[Erasable]:
    with temporary_cluster() as cluster:
        url = cluster.database.admin_url
        migrate(url)
        create_service_login(url, LOGIN, PASSWORD)
        planted = asyncio.run(_plant(cluster))
        migrate(url, distributed=True)
        yield Erasable(cluster, planted)


async def _plant(cluster: Cluster) -> dict[str, Planted]:
    async with running_stack(cluster.database) as stack:
        await make_namespaces(stack, NEIGHBOUR)
        planted = {kind: await plant(stack, f"zq{kind}7k") for kind in TARGETS}
        for each in planted.values():
            # Another namespace has the same conversation, with the same words, author and subject.
            request = append_request(
                message(f"The {each.token} likes lemon tea.", author=each.author)
            )
            key = f"planted {each.token[2:6]}"
            request.conversation.CopyFrom(conversation(key, subject=each.subject))
            await stack.ingest.AppendMessages(request, metadata=within(NEIGHBOUR))
    return planted


@pytest.mark.parametrize("kind", TARGETS)
def test_erasure_removes_the_text_from_every_node(erasable: Erasable, kind: str) -> None:
    planted = erasable.planted[kind]
    target = TARGETS[kind](planted)
    before = erasable.rows_with(planted.token)
    assert before[1].keys() >= DERIVED
    [other] = before.keys() - {1}
    assert before[other].keys() >= {"messages", "memories", "author_names"}

    async def run(stack: Stack) -> None:
        request = pb.PreviewErasureRequest(target=pb.ErasureTarget(**target))
        preview = await stack.erasures.PreviewErasure(request)
        assert erasable.rows_with(planted.token) == before, "a preview only reads"
        erased = (await erase(stack, **target)).erasure
        assert erased.state == pb.ERASURE_STATE_DONE
        assert erased.row_counts["messages"] > 0
        assert dict(preview.row_counts) == dict(erased.row_counts)
        if kind == "message":
            # The second message and the note are not targets.
            await erase(stack, message_id=planted.message_ids[1])
            await erase(stack, note_id=planted.note_id)

    erasable.run(run)
    assert erasable.rows_with(planted.token) == {other: before[other]}


def test_erased_conversation_is_hidden_before_it_is_deleted(
    erasable: Erasable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everword_ingest.erasure.erase.BATCH", 5)
    monkeypatch.setattr("everword_ingest.erasure.resumer.ErasureResumer.resume", _skip)
    token = "zqhidden7k"

    async def run(stack: Stack) -> None:
        texts = [message(f"The {token} number {n}.", author=f"Di {token}") for n in range(12)]
        said = await append(stack, *texts, session_key=f"key-{token}")
        assert await _modes_with(stack, token) != []
        for target in ({"author": f"Di {token}"}, {"conversation_id": said.conversation_id}):
            begun = await erase(stack, **target)
            assert begun.erasure.state == pb.ERASURE_STATE_RUNNING
            assert begun.messages_left == len(texts)
            assert await _modes_with(stack, token) == []
        assert erasable.rows_with(token)[1]["messages"] == len(texts)

    async def finish(stack: Stack) -> None:
        running = "SELECT count(*) FROM erasures WHERE state = 1"
        await until(lambda: count(stack, running) == 0)
        assert count(stack, "SELECT sum(hides) FROM tenants") == 0

    erasable.run(run)
    monkeypatch.undo()
    # The services that start continue the erasures.
    erasable.run(finish)
    assert erasable.rows_with(token) == {}


async def _skip(self: object) -> None:
    """Leave erasures unfinished."""


async def _modes_with(stack: Stack, token: str) -> list[str]:
    found = []
    for mode in ("LEXICAL", "HYBRID", "TRIGRAM", "REGEX"):
        response = await stack.search.Search(search_request(token, mode))
        if any(token in result.memory.content for result in response.results):
            found.append(mode)
    return found


def test_erased_external_id_is_not_stored_again(erasable: Erasable) -> None:
    async def run(stack: Stack) -> None:
        said = await append(stack, message("The lamp is green.", external_id="lamp-1"))
        await erase(stack, message_id=said.messages[0].message_id)
        again = append(stack, message("The lamp is green.", external_id="lamp-1"))
        assert (await refused(again)).reason == "CONTENT_ERASED"

    erasable.run(run)


def test_verify_finds_nothing_after_the_erasures(erasable: Erasable) -> None:
    assert verify_everything(erasable.cluster.database.admin_url) == []
