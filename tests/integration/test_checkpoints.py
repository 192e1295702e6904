"""The state of agents is saved, listed, restored and deleted, per conversation."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.struct_pb2 import Struct

from everword.domain.ids import new_id
from everword.v1 import ingest_service_pb2 as pb
from everword.v1 import search_service_pb2 as search
from everword_ingest.checkpoints import save_checkpoint, store
from support.calls import append
from support.command_line import everword
from support.databases import cloned
from support.refusals import refused
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    """Run one stack for all tests: each test has a conversation of its own."""
    with cloned(postgres_url) as database:
        async with running_stack(database, embedder=False) as stack:
            yield stack


async def conversation(stack: Stack, session_key: str) -> str:
    return (await append(stack, "Hello.", session_key=session_key)).conversation_id


async def save(
    stack: Stack, conversation_id: str, state: bytes, name: str = "", **fields: Any
) -> pb.SaveCheckpointResponse:
    request = pb.SaveCheckpointRequest(
        conversation_id=conversation_id, state=state, name=name, **fields
    )
    return await stack.ingest.SaveCheckpoint(request)


async def latest(stack: Stack, conversation_id: str, name: str = "") -> pb.GetCheckpointResponse:
    named = pb.CheckpointName(conversation_id=conversation_id, name=name)
    return await stack.ingest.GetCheckpoint(pb.GetCheckpointRequest(latest=named))


async def listed(stack: Stack, conversation_id: str, **fields: Any) -> list[pb.Checkpoint]:
    request = pb.ListCheckpointsRequest(conversation_id=conversation_id, page_size=2, **fields)
    found: list[pb.Checkpoint] = []
    while True:
        page = await stack.ingest.ListCheckpoints(request)
        found += page.checkpoints
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


async def test_checkpoint_state_is_returned_unchanged_and_not_searchable(stack: Stack) -> None:
    owner = await conversation(stack, "bytes")
    state = os.urandom(4 * 1024 * 1024)
    metadata = Struct()
    metadata.update({"step": 3, "source": "loop"})
    first = await save(stack, owner, state, media_type="application/x", metadata=metadata)
    found = await latest(stack, owner)
    assert found.state == state
    assert (found.checkpoint.id, found.checkpoint.version) == (first.checkpoint_id, 1)
    assert (found.checkpoint.media_type, found.checkpoint.state_bytes) == ("application/x", 4 << 20)
    assert dict(found.checkpoint.metadata) == {"step": 3, "source": "loop"}
    larger = await refused(save(stack, owner, state + b"x"))
    assert larger.reason == "VALIDATION_FAILED"
    await save(stack, owner, b"Zanzibarbarian plans", "plan")
    request = search.SearchRequest(query="Zanzibarbarian", mode=search.SEARCH_MODE_LEXICAL)
    assert not (await stack.search.Search(request)).results


async def test_checkpoint_names_have_ordered_versions_with_parents(stack: Stack) -> None:
    """Requirements of agent frameworks' adapters: ids of their own, the chain of parents, and listing before a
    checkpoint.
    """
    owner = await conversation(stack, "chain")
    ids = [str(new_id()) for _ in range(4)]
    for place, id_ in enumerate(ids):
        parent = ids[place - 1] if place else ""
        saved = await save(
            stack, owner, b"%d" % place, "graph", checkpoint_id=id_, parent_id=parent
        )
        assert (saved.checkpoint_id, saved.replayed) == (id_, False)
    await save(stack, owner, b"other", "graph/child")
    assert [each.name for each in await listed(stack, owner)] == ["graph/child", "graph"]
    chain = await listed(stack, owner, name="graph", all_versions=True)
    assert [each.id for each in chain] == ids[::-1]
    assert [each.parent_id for each in chain] == [*ids[2::-1], ""]
    before = await listed(
        stack, owner, name="graph", all_versions=True, before_version=chain[1].version
    )
    assert [each.id for each in before] == ids[1::-1]
    old = await stack.ingest.GetCheckpoint(pb.GetCheckpointRequest(checkpoint_id=ids[1]))
    assert old.state == b"1"
    foreign = await conversation(stack, "chain of another")
    missing = await refused(save(stack, foreign, b"", parent_id=ids[0]))
    assert (missing.code, missing.reason) == (grpc.StatusCode.NOT_FOUND, "CHECKPOINT_NOT_FOUND")


async def test_save_checkpoint_is_idempotent_and_checks_expected_version(stack: Stack) -> None:
    owner = await conversation(stack, "once")
    first = await save(stack, owner, b"one", request_id="once", expected_version=0)
    again = await save(stack, owner, b"one", request_id="once", expected_version=0)
    assert (again.checkpoint_id, again.version, again.replayed) == (first.checkpoint_id, 1, True)
    other = await refused(save(stack, owner, b"two", request_id="once"))
    assert other.reason == "REQUEST_ID_CONFLICT"
    lost = await refused(save(stack, owner, b"two", expected_version=0))
    assert (lost.code, lost.reason) == (
        grpc.StatusCode.ABORTED,
        "CHECKPOINT_VERSION_CONFLICT",
    )
    assert lost.metadata["current_checkpoint_id"] == first.checkpoint_id
    own = str(new_id())
    made = [await save(stack, owner, b"three", checkpoint_id=own) for _ in range(2)]
    assert [each.replayed for each in made] == [False, True]
    taken = await refused(save(stack, owner, b"four", checkpoint_id=own))
    assert taken.reason == "VALIDATION_FAILED"
    writers = [save(stack, owner, b"%d" % n, expected_version=made[0].version) for n in range(8)]
    ended = await asyncio.gather(*writers, return_exceptions=True)
    assert sum(not isinstance(each, BaseException) for each in ended) == 1
    versions = [each.version for each in await listed(stack, owner, all_versions=True)]
    assert versions == sorted(set(versions), reverse=True)


async def test_old_versions_are_pruned_and_name_over_limit_is_refused(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = await conversation(stack, "limits")
    for number in range(5):
        await save(stack, owner, b"%d" % number, max_versions=3)
    kept = await listed(stack, owner, all_versions=True)
    assert [each.version for each in kept] == [5, 4, 3]
    # The byte limit keeps the latest version, however large it is.
    monkeypatch.setattr(store, "MAX_NAME_BYTES", 10)
    await save(stack, owner, b"four", "bytes")
    await save(stack, owner, b"is six", "bytes")
    await save(stack, owner, b"more than ten bytes", "bytes")
    assert [each.state_bytes for each in await listed(stack, owner, name="bytes")] == [19]
    monkeypatch.setattr(save_checkpoint, "MAX_NAMES", 2)
    full = await refused(save(stack, owner, b"", "a third name"))
    assert (full.code, full.reason) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "CHECKPOINT_LIMIT_REACHED",
    )
    await save(stack, owner, b"5", "bytes")


async def test_deleted_checkpoints_are_gone_and_versions_not_reused(stack: Stack) -> None:
    owner = await conversation(stack, "deleted")
    first = await save(stack, owner, b"1")
    for name in ("", "plan", "plan", "draft"):
        await save(stack, owner, b"state", name)
    one = pb.DeleteCheckpointsRequest(checkpoint_id=first.checkpoint_id)
    assert (await stack.ingest.DeleteCheckpoints(one)).deleted == 1
    assert (await stack.ingest.DeleteCheckpoints(one)).deleted == 0
    named = pb.CheckpointName(conversation_id=owner, name="plan")
    plans = pb.DeleteCheckpointsRequest(name=named)
    assert (await stack.ingest.DeleteCheckpoints(plans)).deleted == 2
    gone = await refused(latest(stack, owner, "plan"))
    assert (gone.reason, gone.metadata["name"]) == ("CHECKPOINT_NOT_FOUND", "plan")
    every = pb.DeleteCheckpointsRequest(conversation_id=owner)
    assert (await stack.ingest.DeleteCheckpoints(every)).deleted == 2
    assert not await listed(stack, owner, all_versions=True)
    assert (await save(stack, owner, b"new", expected_version=0)).version == 6


async def test_cli_saves_and_restores_checkpoint_file(stack: Stack, tmp_path: Path) -> None:
    owner = await conversation(stack, "command line")
    source, target = tmp_path / "state.bin", tmp_path / "restored.bin"
    source.write_bytes(bytes(range(256)))
    saved = await everword(
        stack, "checkpoints", "save", owner, str(source), "--metadata", '{"step": 1}', "--json"
    )
    id_ = saved.json()["checkpoint_id"]
    table = await everword(stack, "checkpoints", "list", owner)
    assert id_ in table.output
    assert " 256 " in table.output
    restored = await everword(stack, "checkpoints", "get", owner, "--output", str(target))
    assert restored.status == 0, restored.errors
    assert target.read_bytes() == source.read_bytes()
    request = json.dumps({"checkpoint_id": id_})
    deleted = await everword(stack, "call", "Ingest/DeleteCheckpoints", request)
    assert deleted.json()["deleted"] == 1
    missing = await everword(stack, "checkpoints", "get", owner)
    assert missing.status == 1
    assert "CHECKPOINT_NOT_FOUND" in missing.errors
