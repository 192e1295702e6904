"""Appends to documents that change between the call's reading and its writing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from everword.v1 import erasure_service_pb2 as erasures
from everword_ingest.documents import append_document, write_document, write_steps
from everword_ingest.documents.model import DocumentChange
from support.document_calls import append, read, upload, write
from support.refusals import refused
from support.stack import Stack


async def test_repeated_append_after_the_document_is_full_returns_the_first_result(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fits(change: DocumentChange, content: str) -> None:
        # A hundredth of the real limit, which takes half a minute to reach.
        write_steps.ensure_fits(replace(change, max_bytes=change.max_bytes // 100), content)

    monkeypatch.setattr(append_document, "ensure_fits", fits)
    await upload(stack, ("word " * 20 + "\n\n").encode() * 650, "Long", "long.txt")
    text = ("more " * 20 + "\n\n") * 100
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
