"""The application: which page is where, and the connection to Everword that they share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from everword.client import Client, ClientSettings
from everword_web.console.guard import HEALTH, STATIC, Guard
from everword_web.console.pages import (
    conversations,
    costs,
    documents,
    erasures,
    facts,
    graph,
    lore,
    memories,
    notes,
    patterns,
    people,
    queues,
    search,
    sign_in,
    start,
    summaries,
    themes,
    topics,
)
from everword_web.console.pages import (
    settings as settings_page,
)
from everword_web.console.rights import RightsOfVisitors
from everword_web.console.sessions import Credentials, Sessions
from everword_web.console.visits import Page, Visit, served

_READS: dict[str, Page] = {
    "/": start.overview,
    "/search": search.search,
    "/conversations": conversations.list_conversations,
    "/conversations/{id:uuid}": conversations.timeline,
    "/summaries/{id:uuid}": summaries.summary,
    "/summaries/{id:uuid}/below": summaries.below,
    "/memories/{id:uuid}": memories.memory,
    "/facts": facts.list_facts,
    "/facts/{id:uuid}": facts.fact,
    "/people": people.list_people,
    "/people/{id:uuid}": people.person,
    "/events": people.list_events,
    "/events/{id:uuid}": people.event,
    "/graph": graph.find,
    "/graph/{id:uuid}": graph.around,
    "/documents": documents.list_documents,
    "/documents/{id:uuid}": documents.document,
    "/notes": notes.list_notes,
    "/notes/{id:uuid}": notes.note,
    "/lore": lore.list_books,
    "/lore/{id:uuid}": lore.book,
    "/lore/entries/{id:uuid}": lore.entry,
    "/topics": topics.list_topics,
    "/topics/{id:uuid}": topics.topic,
    "/themes": themes.list_themes,
    "/themes/{id:uuid}": themes.theme,
    "/patterns": patterns.list_patterns,
    "/patterns/{id:uuid}": patterns.pattern,
    "/erasures": erasures.list_erasures,
    "/erasures/{id:uuid}": erasures.erasure,
    "/queues": queues.status,
    "/costs": costs.costs,
    "/settings": settings_page.show,
}
#: POST requests: they change something, or cost too much for a page that another site may open.
_POSTS: dict[str, Page] = {
    "/facts/{id:uuid}/confirm": facts.confirm,
    "/facts/{id:uuid}/close": facts.close,
    "/facts/{id:uuid}/correct": facts.correct,
    "/erasures/preview": erasures.preview,
    "/erasures/new": erasures.erase,
    "/queues/retry": queues.retry,
    "/queues/backfill": queues.backfill,
    "/settings/voice": settings_page.save_voice,
}


class _GuardedApp(Starlette):
    """Is guarded as a whole: what Starlette answers where a page fails, too."""

    hosts: Sequence[str] = ()

    def build_middleware_stack(self) -> ASGIApp:
        return Guard(super().build_middleware_stack(), self.hosts)


def create_app(settings: ClientSettings, hosts: Sequence[str], *, lends_key: bool) -> Starlette:
    """Return the application, for requests to this machine and to `hosts`.

    With `lends_key`, visitors who have not signed in call as `settings` say; without, they sign in.
    """

    @asynccontextmanager
    async def connect(app: Starlette) -> AsyncIterator[None]:
        lent = Credentials(settings.api_key, settings.namespace)
        async with Client.connect(replace(settings, api_key="", namespace="")) as client:
            app.state.client, app.state.sessions = client, Sessions()
            app.state.rights = RightsOfVisitors(client)
            app.state.lent = lent if lends_key else None
            yield

    app = _GuardedApp(
        routes=[
            Route(HEALTH, _healthz),
            Mount(STATIC, StaticFiles(packages=[("everword_web.console", "static")])),
            Route("/sign-in", sign_in.show),
            Route("/sign-in", sign_in.sign_in, methods=["POST"]),
            Route("/sign-out", sign_in.sign_out, methods=["POST"]),
            *(Route(path, served(page)) for path, page in _READS.items()),
            *(Route(path, served(page), methods=["POST"]) for path, page in _POSTS.items()),
        ],
        lifespan=connect,
        exception_handlers={404: _page_not_found, 405: _page_not_found, 500: _failed},
    )
    app.hosts = hosts
    return app


async def _healthz(_: Request) -> Response:
    return PlainTextResponse("ok")


async def _page_not_found(request: Request, _: Exception) -> Response:
    said = ["There is no such page. The navigation leads to those that there are."]
    visit = Visit(request, Credentials())
    return visit.page("error.html", 404, title="Not here", said=said, error=None)


async def _failed(request: Request, _: Exception) -> Response:
    said = ["The console failed, which is a bug of it. Its log says how."]
    visit = Visit(request, Credentials())
    return visit.page("error.html", 500, title="Something failed", said=said, error=None)
