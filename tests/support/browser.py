"""A headless Chromium, and what it did that it should not."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Browser, Page, Request, async_playwright

#: None of them calls anybody: what a browser does by itself is switched off.
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
    """Lend the machine's Chromium; without one, the test is skipped."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium cannot be had: pages are not looked at")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*_ARGUMENTS])
        yield browser
        await browser.close()


@dataclass(frozen=True)
class Watched:
    """A page, and what it told its console, ran into, and asked of others."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)

    async def go(self, path: str) -> None:
        """Open a page of the console."""
        await self.page.goto(self.url + path)

    def note_request(self, request: Request) -> None:
        """Complain about a request to anybody else."""
        if not request.url.startswith(self.url):
            self.complaints.append(request.url)


@asynccontextmanager
async def watched(
    browser: Browser, url: str, *, cookies: str = "", width: int = 1200, dark: bool = False
) -> AsyncIterator[Watched]:
    """Lend a page with the session `cookies`, a name and a value, and a screen so wide."""
    context = await browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light"
    )
    context.set_default_timeout(10_000)
    if cookies:
        name, _, value = cookies.partition("=")
        await context.add_cookies([{"name": name, "value": value, "url": url}])
    page = await context.new_page()
    here = Watched(page, url)
    page.on("console", lambda message: here.complaints.append(message.text))
    page.on("pageerror", lambda error: here.complaints.append(str(error)))
    page.on("request", lambda request: here.note_request(request))
    yield here
    await context.close()


_LUMINANCE = """(name) => {
  const [r, g, b] = getComputedStyle(document.querySelector(%r))[name].match(/[\\d.]+/g).slice(0, 3)
    .map((n) => n / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}"""


async def luminance(page: Page, selector: str, name: str) -> float:
    """Return how light the `color` or the `background-color` of an element is, from 0 to 1."""
    return float(await page.evaluate(_LUMINANCE % selector, name))


async def contrast(page: Page, text: str, ground: str) -> float:
    """Return the contrast of one element's text with the ground of another, as WCAG counts it."""
    of_both = (
        await luminance(page, text, "color"),
        await luminance(page, ground, "background-color"),
    )
    return (max(of_both) + 0.05) / (min(of_both) + 0.05)
