"""A headless Chromium, and what it did that it should not."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Browser, Page, async_playwright

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

    @property
    def path(self) -> str:
        return self.page.url.removeprefix(self.url)


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
    page.on(
        "request",
        lambda request: request.url.startswith(url) or here.complaints.append(request.url),
    )
    yield here
    await context.close()
