"""Appends to documents that change between the call's reading and its writing."""

from __future__ import annotations

from typing import Any

import pytest

from everword.v1 import erasure_service_pb2 as erasures
from everword_ingest.documents import write_document
from support.document_calls import append, read, upload, write
from support.refusals import refused
from support.stack import Stack


async def test_repeated_append_after_the_document_is_full_returns_the_first_result(
    stack: Stack,
) -> None:
    await upload(stack, ("word " * 20 + "\n\n").encode() * 65_000, "Long", "long.txt")
    text = ("more " * 20 + "\n\n") * 10_000
    added = await append(stack, text, "Long", request_id="long-1")
    again = await append(stack, text, "Long", request_id="long-1")
    assert (await refused(append(stack, text, "Long"))).reason == "VALIDATION_FAILED"
    assert (again.replayed, again.version_id) == (True, added.version_id)


async def test_append_during_erase_and_rewrite_keeps_the_new_text(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = await write(stack, "Erased.", "Anew")
    prepared = write_document.prepare

    async def slow(*arguments: Any) -> Any:
        result = await prepared(*arguments)
        await stack.erasures.Erase(
            erasures.EraseRequest(target=erasures.ErasureTarget(document_id=first.document_id))
        )
        await write(stack, "New.", "Anew")
        return result

    monkeypatch.setattr("everword_ingest.documents.append_document.prepare", slow)
    await append(stack, "Added.", "Anew")
    assert await read(stack, "Anew") == "New.\nAdded."
