"""A console over a running Everword with keys, and visitors of it without a browser."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from html.parser import HTMLParser

import httpx2
from playwright.async_api import Page

from everword.client import ClientSettings
from everword.v1 import admin_service_pb2 as admin
from everword_web.console.app import create_app
from support.callers import bearer
from support.console import Planted, plant, plant_crowd, plant_hostile
from support.http_process import serving
from support.stack import Stack
from support.waiting import until

LISTS = (
    "/",
    "/conversations",
    "/facts",
    "/people",
    "/events",
    "/graph",
    "/documents",
    "/notes",
    "/lore",
    "/themes",
    "/patterns",
    "/queues",
    "/costs",
    "/topics",
    "/erasures",
)
#: Some of what pages show, of each kind.
WORDS = (
    "Moving orderdesk from MySQL to PostgreSQL",
    "cutover is Saturday 14 March at 21:30",
    "Serverwerk",
    "Cutover runbook",
    "Point DB_URL at 10.20.4.17 again.",
    "Try all again",
    "claude-haiku-4-5",
    "<mark>zebra</mark>",
    ">suspicious</span>",
    "Shops are closed from 20:30 to 5:00",
    "project lead",
    "The cutover of orderdesk",
    "{&#34;account&#34;: &#34;6540&#34;, &#34;vat_rate&#34;: 25}",
    "reaches the threshold of 0.80",
    "replica, lag, rows",
)
#: What a list says where there is nothing.
FILLED_BY = {
    "/lore": "everword lore add BOOK TITLE TEXT",
    "/people": "<pre>everword sleep</pre>",
    "/events": "<pre>everword sleep</pre>",
    "/patterns": "everword call Pattern/RecordPattern",
    "/themes": "<pre>everword stats</pre>",
    "/topics": "everword graph node",
}


@dataclass(frozen=True)
class Site:
    """A console, with a memory behind it."""

    stack: Stack
    url: str
    planted: Planted
    hostile: tuple[str, ...]
    """Pages about what is hostile."""
    keys: dict[str, str]
    """Secrets by role."""
    pictures: str
    """The folder for pictures; empty where none are taken."""

    async def picture(self, page: Page, name: str) -> None:
        """Keep what a page looks like, for the documentation."""
        if self.pictures:
            await page.screenshot(path=f"{self.pictures}/{name}.png")

    def settings(self, role: str) -> ClientSettings:
        """Return how a client connects with a key of this role."""
        at = self.stack.addresses
        return ClientSettings(at["ingest"], at["search"], at["compactor"], api_key=self.keys[role])

    def visitor(self) -> httpx2.AsyncClient:
        """Return a browser's place of a visitor who has not signed in."""
        return httpx2.AsyncClient(base_url=self.url, headers={"origin": self.url}, timeout=30)

    @asynccontextmanager
    async def signed_in(self, role: str) -> AsyncIterator[httpx2.AsyncClient]:
        """Lend a visitor who signed in with a key of this role."""
        async with self.visitor() as visitor:
            answer = await send(visitor, "/sign-in", "/sign-in", key=self.keys[role])
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            yield visitor

    async def session(self, role: str) -> str:
        """Return the cookie of a visitor who signed in."""
        async with self.signed_in(role) as visitor:
            [(name, value)] = visitor.cookies.items()
        return f"{name}={value}"

    @property
    def pages(self) -> list[str]:
        found = self.planted
        return [
            *LISTS,
            "/search?q=zebra",
            "/facts?superseded=1",
            f"/conversations/{found.conversation_id}",
            f"/facts/{found.cutover_id}",
            f"/graph/{found.node_id}?depth=2",
            f"/notes/{found.note_id}",
            f"/documents/{found.document_id}",
            *found.learned,
            *self.hostile,
        ]


def foreign_markup(page: str) -> list[str]:
    """Return what of a page is not the console's own: elements and attributes that it never writes, links elsewhere."""
    found: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            given = dict(attrs)
            if tag in ("img", "textarea", "iframe") or (tag == "script" and "src" not in given):
                found.append(tag)
            found.extend(name for name in given if name.startswith("on") or name == "style")
            places = [given.get(name) or "/" for name in ("href", "src", "action")]
            found.extend(place for place in places if place[0] not in "/?#")

    reader = Reader()
    reader.feed(page)
    reader.close()
    return found


@asynccontextmanager
async def running_console(stack: Stack, pictures: str = "") -> AsyncIterator[Site]:
    """Run a console over a memory, where every call needs a key."""
    planted = await plant(stack)
    hostile = await plant_hostile(stack)
    await plant_crowd(stack)
    keys = {"admin": await _key(stack, admin.API_KEY_ROLE_ADMIN)}
    for role in ("read", "write"):
        value = admin.ApiKeyRole.Value(f"API_KEY_ROLE_{role.upper()}")
        keys[role] = await _key(stack, value, keys["admin"])
    async with serving(stack, "web", "--console", "{address}") as url:
        await _closed(url)
        yield Site(stack, url, planted, hostile, keys, pictures)


@asynccontextmanager
async def in_this_process(settings: ClientSettings) -> AsyncIterator[httpx2.AsyncClient]:
    """Lend a visitor of a console that is no process of its own, so that a test can change it."""
    app = create_app(settings, (), lends_key=True)
    transport = httpx2.ASGITransport(app=app, raise_app_exceptions=False)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as visitor,
    ):
        yield visitor


async def _key(stack: Stack, role: admin.ApiKeyRole.ValueType, operator: str = "") -> str:
    namespace = "" if role == admin.API_KEY_ROLE_ADMIN else "default"
    request = admin.CreateApiKeyRequest(api_key=admin.ApiKey(namespace=namespace, role=role))
    metadata = bearer(operator) if operator else ()
    return (await stack.admin.CreateApiKey(request, metadata=metadata)).secret


async def _closed(url: str) -> None:
    """Wait until every service knows that there are keys now."""
    async with httpx2.AsyncClient(base_url=url) as visitor:

        async def is_closed() -> bool:
            pages = [await visitor.get(path) for path in ("/", "/costs", "/queues")]
            return all(page.status_code == 303 for page in pages)

        await until(is_closed)


async def send(visitor: httpx2.AsyncClient, page: str, path: str, **fields: str) -> httpx2.Response:
    """Send a form of a page, as a browser does: with the page's token."""
    token = re.search(r'name="token" value="(\w+)"', (await visitor.get(page)).text)
    assert token, page
    return await visitor.post(path, data={"token": token[1], **fields})
