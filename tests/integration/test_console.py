"""The console of a running Everword: its pages, permissions, and behaviour in a browser."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from datetime import date

import pytest
import pytest_asyncio
from markupsafe import escape
from playwright.async_api import Browser, Page

from everword.client import Client, ClientSettings
from everword.embedded.ports import free_ports
from everword.v1 import fact_query_service_pb2 as profiles
from everword.v1 import ingest_service_pb2 as ingest
from everword.v1 import search_service_pb2 as summaries
from everword.v1 import summary_pb2
from everword_web.console.pages import conversations, memories, notes, people
from support import console_site as pages
from support.browser import barriers, chromium, watched
from support.callers import bearer, make_namespaces
from support.calls import message, target
from support.console import HOSTILE
from support.console_site import Site, foreign_markup, in_this_process, running_console, send
from support.databases import cloned
from support.stack import running_stack

pytestmark = pytest.mark.asyncio(loop_scope="module")

_SHOWN = str(escape(HOSTILE.replace("\u202e", "⟨RLO⟩")))
#: 2026-03-03 in the sliders' unit of days: after the first value was stated, and before the second one.
_BETWEEN = 20515
_NOWHERE = "/memories/018f0000-0000-7000-8000-000000000000"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site(postgres_url: str, pytestconfig: pytest.Config) -> AsyncIterator[Site]:
    pictures = pytestconfig.getoption("pictures")
    with cloned(postgres_url) as database:
        async with running_stack(database) as stack, running_console(stack, pictures) as site:
            yield site


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as browser:
        yield browser


async def test_sign_in_stores_key_in_http_only_cookie(site: Site) -> None:
    async with site.visitor() as visitor:
        sent_on = await visitor.get("/facts?subject=orderdesk")
        where = sent_on.headers["location"]
        assert (sent_on.status_code, where) == (303, "/sign-in?next=%2Ffacts%3Fsubject%3Dorderdesk")
        right = await send(visitor, where, where, key=site.keys["read"])
        assert right.headers["location"] == "/facts?subject=orderdesk"
        cookie = right.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert "secure" not in cookie
        assert site.keys["read"].lower() not in cookie
        # The key determines the namespace.
        shown = '<span class="namespace" title="Namespace" dir="auto">default</span>'
        assert shown in (await visitor.get("/")).text
        away = "/sign-in?next=//evil.example"
        assert (await send(visitor, away, away, key=site.keys["read"])).headers["location"] == "/"
        # Behind a proxy that terminates TLS, the cookie is marked Secure.
        visitor.headers["origin"] = site.url.replace("http:", "https:")
        behind = await send(visitor, where, where, key=site.keys["read"])
        assert "secure" in behind.headers["set-cookie"].lower()


async def test_pages_show_stored_text_escaped(site: Site) -> None:
    shown = ""
    async with site.signed_in("admin") as visitor:
        for path in site.pages:
            page = await visitor.get(path)
            assert page.status_code == 200, path
            assert foreign_markup(page.text) == [], path
            assert page.headers["content-security-policy"].startswith("default-src 'self'; ")
            assert page.headers["cache-control"] == "no-store"
            if path in pages.LISTS[:-2] or path in site.hostile:
                assert _SHOWN in page.text, path
            assert "\u202e" not in page.text, path
            shown += page.text
        style = await visitor.get("/static/console.css")
    assert style.headers["cache-control"] == "no-cache"
    for words in pages.WORDS:
        assert words in shown, words


async def test_writes_require_permission_and_same_origin_token(site: Site) -> None:
    fact = f"/facts/{site.planted.cutover_id}"
    gone = {"kind": "fact", "of": site.planted.cutover_id, "sure": "yes"}
    async with site.signed_in("read") as visitor:
        for page in ("/queues", fact):
            text = (await visitor.get(page)).text
            assert 'action="/queues' not in text
            assert f'action="{fact}' not in text
            assert "/erasures" not in text
        for path in ("/queues/retry", f"{fact}/close", "/erasures/new"):
            refused = await send(visitor, "/", path, reason="no", **gone)
            assert refused.status_code == 403, path
            assert "Sign in with a key that may do it." in refused.text
    async with site.signed_in("write") as visitor:
        token = re.findall(r'name="token" value="(\w+)"', (await visitor.get("/")).text)[0]
        for origin in ("https://evil.example", "null", "", "http://["):
            headers = {"origin": origin}
            foreign = await visitor.post("/queues/retry", data={"token": token}, headers=headers)
            assert foreign.status_code == 403
        for other in ("", token[::-1]):
            forged = await visitor.post("/queues/retry", data={"token": other})
            assert "This page is out of date" in forged.text
        rebound = await visitor.get("/", headers={"host": "evil.example"})
        assert (rebound.status_code, "--host evil.example" in rebound.text) == (403, True)
        assert "Try all again" in (await visitor.get("/queues")).text
        assert (await send(visitor, "/", "/erasures/new", **gone)).status_code == 403
        # The next page shows the change, even if it reads from another replica.
        done = await send(visitor, fact, f"{fact}/confirm", reason="It was said again.")
        assert "everword_console_fresh=" in done.headers["set-cookie"]
        assert (await visitor.get(done.headers["location"])).status_code == 200
        visitor.cookies.set("everword_console_fresh", "nonsense", domain="127.0.0.1", path="/")
        for path in ("/facts", fact):
            assert (await visitor.get(path)).status_code == 400, path
    async with site.signed_in("admin") as visitor:
        asked = {"kind": "fact", "of": site.planted.cutover_id, "request": "chosen-elsewhere"}
        preview = await send(visitor, fact, "/erasures/preview", **asked)
        assert (preview.status_code, "chosen-elsewhere" in preview.text) == (200, False)
    async with site.signed_in("read") as visitor:
        head = await visitor.head("/notes")
        assert (head.status_code, head.content) == (200, b"")
        # A token is valid for one visitor only.
        assert (await visitor.post("/sign-out", data={"token": token})).status_code == 400


async def test_error_pages_explain_status_in_a_sentence(site: Site) -> None:
    async with site.signed_in("read") as visitor:
        for path, status, sentence in (
            (_NOWHERE, 404, "It may have been erased"),
            (_NOWHERE.replace("memories", "people"), 404, "It may have been erased"),
            (_NOWHERE.replace("memories", "themes"), 404, "they are made again each night"),
            ("/nowhere", 404, "There is no such page."),
            ("/queues/retry", 404, "There is no such page."),
            ("/search?q=(&mode=regex", 400, 'role="alert"'),
            ("/search?q=x&since=yesterday", 400, "since is a day such as 2026-04-18"),
            ("/search?q=x&mode=guess", 400, "Choose one of hybrid,"),
            ("/facts?valid_day=soon", 400, "valid_day is a number up to"),
            ("/erasures", 403, "Sign in with a key that may do it."),
            (f"/notes?tag={'x' * 129}", 400, "filter.tags[0]"),
        ):
            page = await visitor.get(path)
            assert page.status_code == status, path
            assert sentence in page.text, path
            assert "Traceback" not in page.text


async def test_empty_pages_show_command_that_fills_them(site: Site) -> None:
    await make_namespaces(site.stack, "empty", metadata=bearer(site.keys["admin"]))
    async with site.visitor() as visitor:
        chosen = {"key": site.keys["admin"], "namespace": "empty"}
        assert (await send(visitor, "/sign-in", "/sign-in", **chosen)).status_code == 303
        for path, command in pages.FILLED_BY.items():
            assert command in (await visitor.get(path)).text, path
            asked = (await visitor.get(path, params={"subject": "nobody"})).text
            assert (command in asked, "None is as this asks for." in asked) == (False, True)


async def _many_waiting(*_: object) -> summaries.ListSummariesResponse:
    """Return a full page of summaries without parents, as in a conversation with thousands of messages."""
    waiting = summary_pb2.Summary(id=_NOWHERE.removeprefix("/memories/"), content="They talked.")
    return summaries.ListSummariesResponse(summaries=[waiting], next_page_token="more")


async def test_page_names_unreachable_service_address() -> None:
    nobody = f"127.0.0.1:{free_ports(1)[0]}"
    async with in_this_process(ClientSettings(nobody, nobody, nobody)) as visitor:
        page = await visitor.get("/notes")
    assert page.status_code == 503
    assert f"Nothing answers at {nobody}" in page.text


async def test_truncated_lists_and_internal_errors_are_reported(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = profiles.ListFactsRequest(subjects=["orderdesk"])
    listed = await site.stack.fact_queries.ListFacts(wanted, metadata=bearer(site.keys["read"]))
    fact = listed.facts[0]
    async with in_this_process(site.settings("read")) as visitor:
        conversation = f"/conversations/{site.planted.conversation_id}"
        assert "Older summaries" not in (await visitor.get(conversation)).text
        monkeypatch.setattr(conversations, "_latest", _many_waiting)
        assert "Older summaries are not shown here." in (await visitor.get(conversation)).text
        place = f"/memories/{fact.memory_id}"
        assert (await visitor.get(place)).headers["location"] == f"/facts/{fact.id}"
        _, entry, person, *_ = site.planted.learned
        place_of_entry = f"/memories/{entry.removeprefix('/lore/entries/')}"
        assert (await visitor.get(place_of_entry)).headers["location"] == entry
        assert "quotations are shown" not in (await visitor.get(person)).text
        monkeypatch.setattr(people, "_evidence_rows", lambda said: [(said[0], [])] * 101)
        assert "The latest 100 of 101 quotations are shown." in (await visitor.get(person)).text
        monkeypatch.setattr(memories, "_MOST_PAGES", 0)
        assert "Find it among the facts" in (await visitor.get(place)).text
        monkeypatch.setattr(notes, "pb", None)
        failed = await visitor.get("/notes")
        assert (failed.status_code, "which is a bug of it" in failed.text) == (500, True)
        assert failed.headers["content-security-policy"].startswith("default-src 'self'; ")
        assert failed.headers["cache-control"] == "no-store"


async def test_browser_opens_conversation_and_corrects_fact(site: Site, browser: Browser) -> None:
    async with watched(browser, site.url) as seen:
        page = seen.page
        await seen.go("/search?q=When+is+the+cutover,+and+why+was+it+moved%3F")
        await page.get_by_label("API key").fill("ew_no-such-key")
        await page.keyboard.press("Enter")
        await page.get_by_text("Everword does not know this key.").wait_for()
        seen.forgive("400 (Bad Request)")
        await page.get_by_label("API key").fill(site.keys["write"])
        await page.keyboard.press("Enter")
        # After signing in, the visitor arrives at the requested page.
        hit = page.locator(".hit", has_text="Saturday 14 March at 21:30").first
        await hit.locator("mark", has_text="cutover").wait_for()
        breakdown = hit.locator(".breakdown")
        assert not await breakdown.is_visible()
        await hit.locator(".why > summary").focus()
        await page.keyboard.press("Enter")
        for words in ("Scores by arm", "lexical", "Words that match", "cov_rare"):
            assert words in await breakdown.inner_text()
        await site.picture(page, "search")
        results = page.url
        await hit.get_by_role("link", name="in its conversation").click()
        said = page.locator(".line:target")
        assert "cutover is Saturday 14 March at 21:30" in await said.inner_text()
        assert await said.evaluate(_IS_IN_SIGHT)
        assert await page.locator(".line").first.get_attribute("id") == "m22"
        await page.go_back()
        assert page.url == results
        assert await hit.is_visible()
        # Opened details are open again.
        await breakdown.wait_for()
        await _correct(page, f"{site.url}/facts/{site.planted.machine_id}")
        await site.picture(page, "fact")
        await page.get_by_role("link", name="Queues").click()
        await page.get_by_role("button", name="Only embed").click()
        await page.get_by_text("1 scheduled again.").wait_for()
        assert not await page.get_by_role("button", name="Only embed").is_visible()
        await page.get_by_role("button", name="Sign out").click()
        await page.get_by_label("API key").wait_for()
        # Pages seen before signing out are not in the browser's cache.
        await page.go_back()
        await page.get_by_label("API key").wait_for()
        assert seen.complaints == []


async def _correct(page: Page, fact: str) -> None:
    await page.goto(fact)
    evidence = page.locator(".evidence > li")
    assert "the old machine is ours until 30 April" in await evidence.inner_text()
    await page.get_by_text("Set it right").click()
    await page.get_by_label("Right is").fill("kept until 31 May")
    await page.get_by_label("Why").last.fill("Serverwerk wrote again.")
    await page.get_by_role("button", name="Correct").click()
    await page.get_by_text("Corrected: this is what is right.").wait_for()
    assert await page.locator("h1").inner_text() == "kept until 31 May"
    values = page.locator("tbody tr", has_text="kept until 30 April")
    await values.get_by_text("rejected").wait_for()


_IS_IN_SIGHT = """(element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""


async def test_browser_erases_message_after_preview(site: Site, browser: Browser) -> None:
    async with Client.connect(site.settings("write")) as client:
        said = message("My locker in the harbour is number 4711.", author="Ana")
        request = ingest.AppendMessagesRequest(conversation=target("harbour"), messages=[said])
        await client.ingest_service.AppendMessages(request)
    session = await site.session("admin")
    async with watched(browser, site.url, cookies=session) as seen:
        page = seen.page
        await seen.go("/")
        await page.keyboard.press("/")
        await page.keyboard.type("locker in the harbour")
        await page.keyboard.press("Enter")
        hit = page.locator(".hit", has_text="number 4711")
        await hit.locator("time").click()
        place = page.url
        await page.get_by_role("button", name="Erase …", exact=True).click()
        assert await page.locator("h1").inner_text() == "Erase this message?"
        assert "number 4711" in await page.locator(".sources").inner_text()
        assert await barriers(page) == []
        await page.get_by_role("button", name="Erase for good").click()
        # Nothing is erased before the visitor confirms.
        assert "/erasures/preview" in page.url
        await page.get_by_label("Who asks for it").fill("Ana, by mail")
        await page.get_by_label("I am sure").check()
        await page.get_by_role("button", name="Erase for good").click()
        await page.get_by_text("It is deleted, with everything derived from it.").wait_for()
        await page.get_by_role("link", name="All erasures").click()
        assert "Ana, by mail" in await page.locator("tbody tr").first.inner_text()
        await page.goto(place)
        await page.get_by_text("It may have been erased").wait_for()
        seen.forgive("404 (Not Found)")
        await seen.go("/erasures")
        await page.get_by_label("Name or id").fill("nobody")
        await page.get_by_role("button", name="Preview").click()
        await page.get_by_text("there is nothing to erase").wait_for()
        assert not await page.get_by_role("button", name="Erase for good").is_visible()
        await seen.go("/search?q=locker+in+the+harbour")
        await page.get_by_text("Or try fewer or other words").wait_for()
        assert seen.complaints == []


async def test_browser_follows_graph_links_and_opens_summary_sources(
    site: Site, browser: Browser
) -> None:
    async with watched(browser, site.url, cookies=await site.session("read")) as seen:
        page = seen.page
        await seen.go("/graph?q=orderdesk")
        await page.locator("th").get_by_role("link", name="orderdesk", exact=True).click()
        drawn = page.locator("figure svg")
        assert await drawn.get_by_text("decides on", exact=True).is_visible()
        # Drawn nodes can be reached by keyboard, too.
        await drawn.get_by_role("link", name="Mara").focus()
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="Mara").wait_for()
        assert "works at" in await page.locator("table").inner_text()
        await site.picture(page, "graph")
        await seen.go(f"/conversations/{site.planted.conversation_id}")
        await site.picture(page, "conversation")
        tree = page.get_by_role("region", name="Summaries")
        await tree.locator(".node > summary").first.click()
        leaf = tree.locator(".node .node", has_text="leaf").first
        await leaf.locator("summary").click()
        source = leaf.locator(".sources > li").first
        assert "Morning all. This channel is for one job" in await source.inner_text()
        await source.get_by_role("link").click()
        await page.wait_for_url("**/memories/*")
        assert "Morning all." in await page.locator("p.card").inner_text()
        await page.go_back()
        await source.wait_for()
        assert seen.complaints == []


async def test_day_slider_shows_fact_values_of_that_day(site: Site, browser: Browser) -> None:
    async with watched(browser, site.url, cookies=await site.session("read")) as seen:
        page = seen.page
        await seen.go("/facts?subject=crowd")
        first = page.get_by_label("As it held on")
        assert await first.get_attribute("min") == str((date(1999, 5, 1) - date(1970, 1, 1)).days)
        await seen.go("/facts?subject=orderdesk&attribute=cutover")
        values = page.locator("tbody th")
        assert await values.all_inner_texts() == ["Saturday 14 March, 21:30"]
        await page.get_by_label("As it held on").fill(str(_BETWEEN))
        await page.wait_for_url("**valid_day=*")
        assert await values.all_inner_texts() == ["Thursday 12 March, 20:30"]
        # A slider moved by keyboard keeps the focus.
        assert await page.evaluate("document.activeElement.id") == "valid_day"
        await page.keyboard.press("ArrowRight")
        await page.wait_for_url(f"**valid_day={_BETWEEN + 1}*")
        assert "2026-03-04" in await page.locator(".slider").first.inner_text()
        await page.go_back()
        await page.go_back()
        assert await values.all_inner_texts() == ["Saturday 14 March, 21:30"]
        assert await page.locator("output").all_inner_texts() == ["now", "now"]
        assert seen.complaints == []


async def test_pages_fit_phone_are_accessible_and_execute_no_stored_scripts(
    site: Site, browser: Browser
) -> None:
    session = await site.session("admin")
    async with watched(browser, site.url, cookies=session, width=360, dark=True) as seen:
        for path in site.pages:
            await seen.go(path)
            wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await seen.page.evaluate(wider) == 0, path
            assert await seen.page.title() != "owned"
            assert await seen.page.locator("main img, main script").count() == 0
            if "?" not in path and path not in site.hostile:
                assert await barriers(seen.page) == [], path
        assert seen.complaints == []
    async with watched(browser, site.url, cookies=session) as seen:
        for path in ("/search?q=cutover", "/sign-in"):
            await seen.go(path)
            assert await barriers(seen.page) == [], path
        await seen.go("/notes")
        await seen.page.keyboard.press("Tab")
        assert (
            await seen.page.evaluate("document.activeElement.textContent") == "Skip to the content"
        )
        await seen.page.keyboard.press("Enter")
        assert await seen.page.evaluate("document.activeElement.id") == "main"
        assert seen.complaints == []
