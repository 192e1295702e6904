"""The console refuses cross-site requests, and previews erasures by POST."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from everword.client import ClientSettings
from support.calls import append_request, message, target
from support.console_site import in_this_process, send
from support.graphs import edge, node, write
from support.stack import Stack

_SITES = ("cross-site", "same-site")
_IMAGE = {"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
_FRAME = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
_LINK = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}


@pytest.fixture
async def visitor(stack: Stack) -> AsyncIterator[httpx2.AsyncClient]:
    """A visitor of a local console, which needs no sign-in."""
    addresses: dict[str, Any] = {
        f"{name}_address": at for name, at in stack.addresses.items() if name != "embedder"
    }
    async with in_this_process(ClientSettings(**addresses)) as visitor:
        visitor.headers["origin"] = "http://localhost"
        yield visitor


@pytest.mark.parametrize("site", _SITES)
async def test_guard_refuses_cross_site_requests_of_every_method(
    visitor: httpx2.AsyncClient, site: str
) -> None:
    for headers in (_IMAGE, _FRAME):
        asked = {**headers, "sec-fetch-site": site}
        for path in ("/", "/search?q=cutover", "/queues", "/static/console.css"):
            for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE"):
                refused = await visitor.request(method, path, headers=asked)
                assert refused.status_code == 403, (method, path)
                assert method == "HEAD" or "other sites are refused" in refused.text
        assert (await visitor.get("/healthz", headers=asked)).status_code == 200


@pytest.mark.parametrize("site", _SITES)
async def test_guard_asks_for_confirmation_of_links_from_other_sites(
    visitor: httpx2.AsyncClient, site: str
) -> None:
    link = {**_LINK, "sec-fetch-site": site}
    asked = await visitor.get("/search?q=a%22b&mode=regex", headers=link)
    assert asked.status_code == 403
    assert 'href="/search?q=a%22b&amp;mode=regex"' in asked.text
    for path in ("//evil.example/x", "/\\evil.example/x"):
        away = (await visitor.get(f"http://localhost{path}", headers=link)).text
        assert 'href="/evil.example/x"' in away or 'href="/%5Cevil.example/x"' in away
    # A form of another site is refused, unlike a link.
    assert "Open the page" not in (await visitor.post("/erasures/preview", headers=link)).text


async def test_guard_accepts_same_origin_typed_and_headerless_requests(
    visitor: httpx2.AsyncClient,
) -> None:
    for headers in ({}, {"sec-fetch-site": "none"}, {"sec-fetch-site": "same-origin"}):
        assert (await visitor.get("/notes", headers=headers)).status_code == 200
        previewed = await send(
            visitor, "/erasures", "/erasures/preview", kind="subject", of="nobody"
        )
        assert previewed.status_code == 200


async def test_preview_accepts_any_memory_id_and_suggests_similar_names(
    visitor: httpx2.AsyncClient, stack: Stack
) -> None:
    said = append_request(message("Hello."))
    said.conversation.CopyFrom(target("s", subject="orderdesk"))
    await stack.ingest.AppendMessages(said)
    written = await write(stack, node("Ana"), node("Bo"), edge("Ana", "knows", "Bo"))
    preview = "/erasures/preview"
    similar = await send(visitor, "/erasures", preview, kind="subject", of="OrderDesk")
    assert "Did you mean one of these?" in similar.text
    assert 'name="of" value="orderdesk"' in similar.text
    relation = await send(visitor, "/erasures", preview, kind="memory", of=written.edges[0].id)
    assert "Erase this edge?" in relation.text
    sure = {"kind": "memory", "of": written.edges[0].id, "sure": "yes"}
    done = await send(visitor, "/erasures", "/erasures/new", **sure)
    assert "Erased: edge" in (await visitor.get(done.headers["location"])).text
    nothing = {"kind": "subject", "of": "OrderDesk", "sure": "yes"}
    done = await send(visitor, "/erasures", "/erasures/new", **nothing)
    shown = (await visitor.get(done.headers["location"])).text
    assert "nothing was erased" in shown
    assert "It is deleted" not in shown
    wrong = await send(visitor, "/erasures", preview, kind="memory", of="7")
    assert wrong.status_code == 400
    assert "Give the id of the memory" in wrong.text
    # A GET starts no preview, so that links on other sites cannot start one.
    for path in (preview, "/erasures/new"):
        assert (await visitor.get(f"{path}?kind=subject&of=orderdesk")).status_code == 404
