"""Search, with the ranking features of each result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import grpc
from starlette.responses import Response

from everword.client import CallError
from everword.client.kinds import KINDS, kind_number
from everword.v1 import memory_pb2
from everword.v1 import search_service_pb2 as pb
from everword_web.console.errors import explain
from everword_web.console.highlight import words_of
from everword_web.console.values import BadInputError, Values
from everword_web.console.visits import Visit

#: By the word that a visitor chooses; the first is the default.
MODES = {
    "hybrid": pb.SEARCH_MODE_HYBRID,
    "lexical": pb.SEARCH_MODE_LEXICAL,
    "semantic": pb.SEARCH_MODE_SEMANTIC,
    "trigram": pb.SEARCH_MODE_TRIGRAM,
    "regex": pb.SEARCH_MODE_REGEX,
}
PROFILES = ("recall", "balanced")
_KINDS: dict[str, memory_pb2.MemoryKind.ValueType] = {kind: kind_number(kind) for kind in KINDS}
#: Fields of the form that are folded away if none is set.
_FILTERS = (
    *("mode", "profile", "kind", "subject", "agent", "author", "channel", "since", "until"),
    *("superseded", "automated"),
)
_Choice = TypeVar("_Choice")
_PAGE_SIZE = 20
_PASSAGE_CHARS = 1200
#: Status codes of errors in the query, which are shown next to the form.
_OF_QUERY = (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION)


async def search(visit: Visit) -> Response:
    """Show what answers a query, the best first."""
    values = visit.values
    query = values.text("q")
    found, said, status = None, [], 200
    try:
        if query:
            request = _request(query, values)
            found = await visit.call(visit.client.search_service.Search, request)
    except BadInputError as error:
        said, status = [str(error)], 400
    except CallError as error:
        if error.code not in _OF_QUERY:
            raise
        status, _, said = explain(error)
    words = [*words_of(query), *found.corrections.values()] if found else []
    return visit.page(
        "search.html",
        status,
        values=values,
        query=query,
        modes=MODES,
        profiles=PROFILES,
        kinds=KINDS,
        found=found,
        filtered=any(any(values.all(name)) for name in _FILTERS),
        said=said,
        words=[] if values.text("mode") == "regex" else words,
    )


def _request(query: str, values: Values) -> pb.SearchRequest:
    return pb.SearchRequest(
        query=query,
        mode=_parse_choice(MODES, values.text("mode") or "hybrid"),
        profile=values.text("profile"),
        filter=_filter(values),
        page_size=_PAGE_SIZE,
        page_token=values.text("page"),
        max_content_chars=_PASSAGE_CHARS,
        explain=True,
        expansion_limits=pb.ExpansionLimits(depth=1),
    )


def _filter(values: Values) -> memory_pb2.MemoryFilter:
    return memory_pb2.MemoryFilter(
        kinds=[_parse_choice(_KINDS, word) for word in dict.fromkeys(values.all("kind")) if word],
        subjects=values.one("subject"),
        agents=values.one("agent"),
        authors=values.one("author"),
        channels=values.one("channel"),
        conversation_ids=values.one("conversation"),
        start_time=values.start_of_day("since"),
        end_time=values.end_of_day("until"),
        include_superseded=bool(values.text("superseded")),
        include_automated=bool(values.text("automated")),
    )


def _parse_choice(known: Mapping[str, _Choice], word: str) -> _Choice:
    """Return the value for a word. Raises BadInputError."""
    if word not in known:
        raise BadInputError(f"Choose one of {', '.join(known)}; there is no {word[:40]!r}.")
    return known[word]
