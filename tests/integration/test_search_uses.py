"""Conditions under which a returned result counts as a use."""

from __future__ import annotations

from everword.v1 import admin_service_pb2
from everword.v1 import search_service_pb2 as pb
from support.calls import append
from support.corpus import search_request
from support.stack import Stack


async def test_returned_result_counts_as_use_if_namespace_setting_says_so(stack: Stack) -> None:
    appended = await append(stack, "one orange", "two apples")
    request = admin_service_pb2.UpdateNamespaceRequest()
    request.namespace.name = "default"
    request.namespace.settings.use_counting = admin_service_pb2.USE_COUNTING_RETURNED
    request.update_mask.paths.append("settings.use_counting")
    await stack.admin.UpdateNamespace(request)
    for _ in range(3):
        await stack.search.Search(search_request("orange"))
    get = pb.BatchGetMemoriesRequest(memory_ids=[entry.message_id for entry in appended.messages])
    orange, apples = (await stack.search.BatchGetMemories(get)).memories
    assert (orange.use_count, apples.use_count) == (3, 0)
    assert orange.HasField("last_use_time")
    assert not apples.HasField("last_use_time")
