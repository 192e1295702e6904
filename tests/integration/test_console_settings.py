"""The console's page of settings: the voice of summaries."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from everword.client import ClientSettings
from everword.v1 import admin_service_pb2 as admin
from support.calendar_calls import update_settings
from support.console_site import in_this_process, send
from support.stack import Stack


@pytest.fixture
async def visitor(stack: Stack) -> AsyncIterator[httpx2.AsyncClient]:
    """A visitor of a local console, which needs no sign-in."""
    addresses: dict[str, Any] = {
        f"{name}_address": at for name, at in stack.addresses.items() if name != "embedder"
    }
    async with in_this_process(ClientSettings(**addresses)) as visitor:
        visitor.headers["origin"] = "http://localhost"
        yield visitor


async def _voice(stack: Stack) -> admin.Voice:
    request = admin.GetNamespaceRequest(name="default")
    return (await stack.admin.GetNamespace(request)).namespace.settings.voice


async def test_settings_page_saves_the_voice_and_keeps_facts_about_channels(
    stack: Stack, visitor: httpx2.AsyncClient
) -> None:
    instructions = {"discord": "The garden club."}
    await update_settings(stack, voice=admin.Voice(channel_instructions=instructions))
    assert 'href="/settings"' in (await visitor.get("/")).text
    saved = await send(
        visitor,
        "/settings",
        "/settings/voice",
        identity="I am Lumen.\r\nI like <herons>.",
        user_name="Emi",
        pronouns="she/her",
        handles="heron7 = Sibylle\r\n\r\nb.e.n=Ben",
    )
    assert (saved.status_code, saved.headers["location"]) == (303, "/settings?saved=1")
    assert await _voice(stack) == admin.Voice(
        identity="I am Lumen.\nI like <herons>.",
        user_name="Emi",
        pronouns="she/her",
        channel_instructions=instructions,
        handles={"heron7": "Sibylle", "b.e.n": "Ben"},
    )
    page = (await visitor.get("/settings?saved=1")).text
    for shown in ("I like &lt;herons&gt;.", "b.e.n = Ben", "The garden club.", "Saved."):
        assert shown in page


async def test_settings_page_refuses_a_line_that_is_no_handle(
    stack: Stack, visitor: httpx2.AsyncClient
) -> None:
    refused = await send(visitor, "/settings", "/settings/voice", handles="heron7 Sibylle")
    assert refused.status_code == 400
    assert "handle = name" in refused.text
    assert await _voice(stack) == admin.Voice()
