"""Topics: pages about persons, places and things, with their sources."""

from __future__ import annotations

import re

from markupsafe import Markup, escape
from starlette.responses import Response

from everword.v1 import graph_query_service_pb2 as pb
from everword_web.console.phrases import word
from everword_web.console.visits import Visit

#: Page of a cited memory, by its kind.
_PLACES = {"fact": "/facts", "summary": "/summaries"}
_CITATION = re.compile(r"\[(\d{1,4})\]")


async def list_topics(visit: Visit) -> Response:
    """Show topics."""
    values = visit.values
    request = pb.ListTopicsRequest(
        subjects=values.one("subject"), agents=values.one("agent"), page_token=values.text("page")
    )
    listed = await visit.call(visit.client.graph_query_service.ListTopics, request)
    return visit.page("topics.html", listed=listed, values=values)


async def topic(visit: Visit) -> Response:
    """Show the page of a topic; its citations link to the sources."""
    found = await visit.call(
        visit.client.graph_query_service.GetTopic, pb.GetTopicRequest(id=visit.id)
    )
    return visit.page("topic.html", topic=found.topic, text=_cited(found.topic))


def _cited(topic: pb.Topic) -> Markup:
    """Return the page's text, in which each citation is a link."""
    places = {
        citation.number: f"{_PLACES[word(citation, 'kind')]}/{citation.id}"
        for citation in topic.citations
    }
    parts: list[Markup] = []
    end = 0
    for found in _CITATION.finditer(topic.content):
        place = places.get(int(found[1]))
        if place:
            parts.append(escape(topic.content[end : found.start()]))
            parts.append(Markup('<a class="cite" href="{}">{}</a>').format(place, found[0]))
            end = found.end()
    return Markup("").join([*parts, escape(topic.content[end:])])
