"""The console over a running Everword: its pages, who may see and change what, and how they work in a browser."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2
import pytest
import pytest_asyncio
from markupsafe import escape
from playwright.async_api import Browser, Page

from everword.client import ClientSettings
from everword.embedded.ports import free_ports
from everword.v1 import admin_service_pb2 as admin
from everword_console.app import create_app
from support.browser import chromium, contrast, luminance, watched
from support.callers import bearer
from support.console import HOSTILE, Planted, plant, plant_hostile
from support.databases import cloned
from support.http_process import serving
from support.stack import Stack, running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

_LISTS = (
    "/",
    "/conversations",
    "/facts",
    "/graph",
    "/documents",
    "/notes",
    "/topics",
    "/queues",
    "/costs",
)
_SCRIPT = re.compile(r"<script(?! src=\"/static/)|<img|onerror='|style=", re.IGNORECASE)
#: 2026-03-03 as sliders count: the day after the first value was said, and before the second one.
_BETWEEN = 20515


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

    def visitor(self, **headers: str) -> httpx2.AsyncClient:
        """Return a browser's place of a visitor who has not signed in."""
        return httpx2.AsyncClient(
            base_url=self.url, headers={"origin": self.url, **headers}, timeout=30
        )

    @asynccontextmanager
    async def signed_in(self, role: str) -> AsyncIterator[httpx2.AsyncClient]:
        """Lend a visitor who signed in with a key of this role."""
        async with self.visitor() as visitor:
            answer = await visitor.post("/sign-in", data={"key": self.keys[role]})
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
            yield visitor

    @property
    def pages(self) -> list[str]:
        found = self.planted
        return [
            *_LISTS,
            "/search?q=zebra",
            "/facts?superseded=1",
            "/graph?q=orderdesk",
            f"/conversations/{found.conversation_id}",
            f"/facts/{found.cutover_id}",
            f"/graph/{found.node_id}",
            f"/graph/{found.node_id}?depth=2",
            f"/notes/{found.note_id}",
            f"/documents/{found.document_id}",
            "/costs?measure=tokens",
            *self.hostile,
        ]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(postgres_url: str) -> AsyncIterator[Site]:
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack:
            planted = await plant(stack)
            hostile = await plant_hostile(stack)
            keys = {"admin": await _key(stack, admin.API_KEY_ROLE_ADMIN)}
            for role in ("read", "write"):
                value = admin.ApiKeyRole.Value(f"API_KEY_ROLE_{role.upper()}")
                keys[role] = await _key(stack, value, keys["admin"])
            async with serving(stack, "console", "--listen", "{address}") as url:
                yield Site(stack, url, planted, hostile, keys)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


async def _key(stack: Stack, role: admin.ApiKeyRole.ValueType, operator: str = "") -> str:
    namespace = "" if role == admin.API_KEY_ROLE_ADMIN else "default"
    request = admin.CreateApiKeyRequest(api_key=admin.ApiKey(namespace=namespace, role=role))
    metadata = bearer(operator) if operator else ()
    return (await stack.admin.CreateApiKey(request, metadata=metadata)).secret


async def _session(site: Site, role: str) -> str:
    """Return the cookie of a visitor who signed in."""
    async with site.signed_in(role) as visitor:
        [(name, value)] = visitor.cookies.items()
    return f"{name}={value}"


async def test_a_visitor_signs_in_with_a_key_which_no_page_can_read(site: Site) -> None:
    async with site.visitor() as visitor:
        sent_on = await visitor.get("/facts?subject=orderdesk")
        assert sent_on.status_code == 303
        where = sent_on.headers["location"]
        assert where == "/sign-in?next=%2Ffacts%3Fsubject%3Dorderdesk"
        wrong = await visitor.post(where, data={"key": "no such key"})
        assert wrong.status_code == 400
        assert "Everword does not know this key." in wrong.text
        right = await visitor.post(where, data={"key": site.keys["read"]})
        assert right.headers["location"] == "/facts?subject=orderdesk"
        cookie = right.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert site.keys["read"].lower() not in cookie
        page = await visitor.get("/")
        # The key said which namespace it is.
        assert '<span class="namespace" title="Namespace" dir="auto">default</span>' in page.text
        away = await visitor.post("/sign-in?next=//evil.example", data={"key": site.keys["read"]})
        assert away.headers["location"] == "/"
        out = await visitor.post("/sign-out"); print("OUT", out.status_code, out.headers, list(visitor.cookies.jar))
        assert (await visitor.get("/")).status_code == 303


async def test_each_page_shows_what_there_is_and_no_word_of_it_is_markup(site: Site) -> None:
    shown = ""
    async with site.signed_in("read") as visitor:
        for path in site.pages:
            page = await visitor.get(path)
            assert page.status_code == 200, path
            assert not _SCRIPT.search(page.text), path
            assert page.headers["content-security-policy"].startswith("default-src 'self'; ")
            assert page.headers["cache-control"] == "no-store"
            # Everything but topics has something hostile in it, as text.
            if path in _LISTS[:-3] + _LISTS[-2:] or path in site.hostile:
                assert escape(HOSTILE) in page.text, path
            shown += page.text
    for words in (
        "Moving orderdesk from MySQL to PostgreSQL",
        "Saturday 14 March, 21:30",
        "cutover is Saturday 14 March at 21:30",
        "Serverwerk",
        "Cutover runbook",
        "Point DB_URL at 10.20.4.17 again.",
        "ModelUnavailable",
        "claude-haiku-4-5",
        "<mark>zebra</mark>",
    ):  # fmt: skip
        assert words in shown, words


async def test_a_key_that_may_only_read_changes_nothing(site: Site) -> None:
    fact = f"/facts/{site.planted.cutover_id}"
    async with site.signed_in("read") as visitor:
        for page in ("/queues", fact):
            assert 'method="post" action="/queues' not in (await visitor.get(page)).text
            assert f'action="{fact}' not in (await visitor.get(page)).text
        for path in ("/queues/retry", f"{fact}/close"):
            refused = await visitor.post(path, data={"reason": "no"})
            assert refused.status_code == 403
            assert "Sign in with a key that may do it." in refused.text
        assert "holds 2026-03-04" not in (await visitor.get(fact)).text.partition("<h2>")[0]


async def test_jobs_are_tried_again_and_facts_set_right_from_our_pages_alone(site: Site) -> None:
    fact = f"/facts/{site.planted.cutover_id}"
    async with site.signed_in("write") as visitor:
        assert "Only embed" in (await visitor.get("/queues")).text
        for origin in ("https://evil.example", "null", ""):
            foreign = await visitor.post("/queues/retry", data={}, headers={"origin": origin})
            assert foreign.status_code == 403
        rebound = await visitor.get("/", headers={"host": "evil.example"})
        assert (rebound.status_code, "--host evil.example" in rebound.text) == (403, True)
        retried = await visitor.post("/queues/retry", data={"task": "embed"})
        assert retried.headers["location"] == "/queues?again=1"
        queues = (await visitor.get("/queues?again=1")).text
        assert "1 scheduled again." in queues
        assert "Only embed" not in queues
        confirmed = await visitor.post(f"{fact}/confirm", data={"reason": "Mara says so."})
        assert confirmed.headers["location"] == fact
        assert "Mara says so." in (await visitor.get(fact)).text


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("/memories/018f0000-0000-7000-8000-000000000000", 404, "It may have been erased"),
        ("/nowhere", 404, "There is no such page."),
        ("/search?q=(&mode=regex", 400, "role=\"alert\""),
        ("/search?q=x&since=yesterday", 400, "since is a day such as 2026-04-18"),
        ("/search?q=x&mode=guess", 400, "Choose one of hybrid,"),
        ("/facts?valid_day=soon", 400, "valid_day is a number up to"),
        ("/facts?page=nonsense", 400, "The page token is not one of this request"),
        ("/documents?tag=" + "x" * 200, 400, "tags[0]"),
    ],
)  # fmt: skip
async def test_what_cannot_be_shown_is_told_in_a_sentence(
    site: Site, path: str, status: int, sentence: str
) -> None:
    async with site.signed_in("read") as visitor:
        page = await visitor.get(path)
    assert page.status_code == status
    assert sentence in page.text
    assert "Traceback" not in page.text


async def test_without_everword_the_page_says_what_does_not_answer() -> None:
    nobody = f"127.0.0.1:{free_ports(1)[0]}"
    app = create_app(ClientSettings(nobody, nobody, nobody), (), lends_key=True)
    transport = httpx2.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as visitor,
    ):
        page = await visitor.get("/notes")
    assert page.status_code == 503
    assert f"Nothing answers at {nobody}" in page.text


async def test_search_by_keyboard(site: Site, browser: Browser) -> None:
    async with watched(browser, site.url) as seen:
        page = seen.page
        await seen.go("/")
        await page.get_by_label("API key").fill(site.keys["read"])
        await page.keyboard.press("Enter")
        await page.wait_for_url(f"{site.url}/")
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.textContent") == "Skip to the content"
        await page.keyboard.press("Enter")
        assert await page.evaluate("document.activeElement.id") == "main"
        await page.keyboard.press("/")
        await page.keyboard.type("When is the cutover, and why was it moved?")
        await page.keyboard.press("Enter")
        hit = page.locator(".hit").first
        assert "Saturday 14 March" in await hit.locator(".said").inner_text()
        assert "cutover" in await hit.locator("mark").all_inner_texts()
        breakdown = hit.locator(".breakdown")
        assert not await breakdown.is_visible()
        await hit.locator(".why > summary").focus()
        await page.keyboard.press("Enter")
        for words in ("What each arm says", "lexical", "Words that match", "cov_rare"):
            assert words in await breakdown.inner_text()
        assert seen.complaints == []


async def test_a_summary_is_expanded_down_to_its_messages(site: Site, browser: Browser) -> None:
    async with watched(browser, site.url, cookies=await _session(site, "read")) as seen:
        await seen.go(f"/conversations/{site.planted.conversation_id}")
        tree = seen.page.get_by_role("region", name="Summaries")
        await tree.locator(".node > summary").first.click()
        leaf = tree.locator(".node .node", has_text="leaf").first
        await leaf.locator("summary").click()
        source = leaf.locator(".sources > li").first
        assert "Morning all. This channel is for one job" in await source.inner_text()
        await source.get_by_role("link").click()
        await seen.page.wait_for_url("**/memories/*")
        assert "Morning all." in await seen.page.locator("p.card").inner_text()
        assert seen.complaints == []


async def test_a_slider_shows_what_held_on_a_day(site: Site, browser: Browser) -> None:
    async with watched(browser, site.url, cookies=await _session(site, "read")) as seen:
        await seen.go("/facts?subject=orderdesk")
        values = seen.page.locator("tbody th")
        assert await values.all_inner_texts() == ["Saturday 14 March, 21:30"]
        await seen.page.get_by_label("As it held on").fill(str(_BETWEEN))
        await seen.page.wait_for_url("**valid_day=*")
        assert await values.all_inner_texts() == ["Thursday 12 March, 20:30"]
        assert "2026-03-03" in await seen.page.locator(".slider").first.inner_text()
        # What the keyboard moves goes on being moved.
        assert await seen.page.evaluate("document.activeElement.id") == "valid_day"
        await seen.page.keyboard.press("End")
        await seen.page.wait_for_function(
            "document.querySelector('tbody th').textContent.includes('Saturday')"
        )
        assert seen.complaints == []


async def test_pages_fit_a_phone_and_run_nothing_that_is_remembered(
    site: Site, browser: Browser
) -> None:
    session = await _session(site, "write")
    async with watched(browser, site.url, cookies=session, width=360, dark=True) as seen:
        for path in site.pages:
            await seen.go(path)
            wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await seen.page.evaluate(wider) == 0, path
            assert await seen.page.title() != "owned"
            assert await seen.page.locator("main img, main script").count() == 0
        assert seen.complaints == []
        assert await luminance(seen.page, "html", "background-color") < 0.05
        assert await _least_contrast(seen.page) > 4.5
    async with watched(browser, site.url, cookies=session) as seen:
        await seen.go("/facts")
        assert await luminance(seen.page, "html", "background-color") > 0.9
        assert await _least_contrast(seen.page) > 4.5


async def _least_contrast(page: Page) -> float:
    """Return how well the words can be read that are read worst."""
    pairs = (
        ("body", "html"),
        (".dim, .meta, nav a", ".top"),
        ("main a", "html"),
        (".button", ".button"),
    )
    return min([await contrast(page, text, ground) for text, ground in pairs])
