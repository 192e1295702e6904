"""A namespace with everything in it, out of one and into another."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from everword.v1 import admin_service_pb2 as admin
from support.databases import cloned
from support.foreign_filled import fill_theirs
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(postgres_url: str) -> AsyncIterator[Stack]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            yield stack


async def export(stack: Stack, name: str) -> bytes:
    call = stack.admin.ExportNamespace(admin.ExportNamespaceRequest(name=name))
    return b"".join([part.data async for part in call])

async def test_it(stack):
    import time
    t=time.time()
    await fill_theirs(stack)
    print("filled", time.time()-t)
    t=time.time()
    file = await export(stack, "theirs")
    print("exported", time.time()-t, len(file))
    open("/tmp/theirs.jsonl","wb").write(file)
