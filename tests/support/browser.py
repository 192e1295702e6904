"""A headless Chromium that records console messages, errors and foreign requests of a page."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import Browser, Page, Request, async_playwright

#: Switch off Chromium's own network calls and background activity.
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    path = shutil.which("chromium")
    assert path, "Pages are looked at in Chromium: install Debian's package `chromium`."
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*_ARGUMENTS])
        yield browser
        await browser.close()


@dataclass(frozen=True)
class Watched:
    """A page with its console messages, uncaught errors and requests to other hosts."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)

    async def go(self, path: str) -> None:
        """Open a page of the console."""
        await self.page.goto(self.url + path)

    def forgive(self, complaint: str) -> None:
        """Remove an expected complaint: browsers log each page with an error status."""
        [expected] = [each for each in self.complaints if complaint in each]
        self.complaints.remove(expected)

    def note_words(self, text: str) -> None:
        """Record a console message as a complaint, unless a test merely acted before autofocus."""
        if not text.startswith("Autofocus processing was blocked"):
            self.complaints.append(text)

    def note_request(self, request: Request) -> None:
        """Record a request to any other host as a complaint."""
        if not request.url.startswith(self.url):
            self.complaints.append(request.url)


@asynccontextmanager
async def watched(
    browser: Browser, url: str, *, cookies: str = "", width: int = 1200, dark: bool = False
) -> AsyncIterator[Watched]:
    """Yield a page with the session `cookies` (a name and a value) and a screen of the given width."""
    context = await browser.new_context(
        viewport={"width": width, "height": 760}, color_scheme="dark" if dark else "light"
    )
    context.set_default_timeout(10_000)
    if cookies:
        name, _, value = cookies.partition("=")
        await context.add_cookies([{"name": name, "value": value, "url": url}])
    page = await context.new_page()
    here = Watched(page, url)
    page.on("console", lambda message: here.note_words(message.text))
    page.on("pageerror", lambda error: here.complaints.append(str(error)))
    page.on("request", lambda request: here.note_request(request))
    yield here
    await context.close()


async def barriers(page: Page) -> list[str]:
    """Return accessibility violations found by axe: missing names, contrast, order, focus."""
    found = await page.evaluate(f"{AXE_SCRIPT}; axe.run({{resultTypes: ['violations']}})")
    return [
        f"{rule['id']}: {', '.join(str(node['target']) for node in rule['nodes'])}"
        for rule in found["violations"]
    ]
