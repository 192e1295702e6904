"""Composition root of the search service."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from everword.chat.settings import ChatSettings
from everword.db.pool import Database
from everword.rpc.server import Registration, RpcServer
from everword.v1 import (
    context_service_pb2,
    context_service_pb2_grpc,
    fact_query_service_pb2,
    fact_query_service_pb2_grpc,
    graph_query_service_pb2,
    graph_query_service_pb2_grpc,
    search_service_pb2,
    search_service_pb2_grpc,
)
from everword_search.answers.answer_model import AnswerModel
from everword_search.cache.namespace_cache import NamespaceCache
from everword_search.context.servicer import ContextServicer
from everword_search.context.tokens import Tokens
from everword_search.facts.servicer import FactQueryServicer
from everword_search.graph_search.servicer import GraphQueryServicer
from everword_search.kernels.compiled import warn_if_slow
from everword_search.people.servicer import PeopleServicer
from everword_search.ranking.models.ranker import Ranker
from everword_search.retrieval.query.query_embedder import QueryEmbedder
from everword_search.retrieval.sources import Sources
from everword_search.servicer import SearchServicer
from everword_search.settings import SERVICE, SearchSettings
from everword_search.summaries.servicer import SummaryServicer
from everword_search.topics.servicer import TopicServicer
from everword_search.warm_up import warm_up

if TYPE_CHECKING:
    from everword.chat.client import ChatClient
    from everword.chat.priority import InteractiveCalls


class SearchService(SearchServicer, SummaryServicer):
    """All RPCs of SearchService: searches, reads of memories, and the summary DAG."""


class FactQueryService(FactQueryServicer, PeopleServicer):
    """All RPCs of FactQueryService: facts, people, events and questions."""


class GraphQueryService(GraphQueryServicer, TopicServicer):
    """All RPCs of GraphQueryService: the graph, and pages about its nodes."""


class SearchServer:
    """The search service: its database pool, embedder client, cache, chat client and gRPC server."""

    def __init__(self, settings: SearchSettings) -> None:
        self.settings = settings.server
        self._database = Database(settings.database, SERVICE)
        self._embedder = QueryEmbedder(settings.embedder_address, settings.server.internal_token)
        self._cache = NamespaceCache(self._database, settings.cache_bytes)
        sources = Sources(self._database, self._embedder, Ranker.load(), self._cache)
        self._stopping = asyncio.Event()
        self._tokens = Tokens(settings.tokenizer)
        self._chat = _chat_client(settings.chat) if settings.chat else None
        self._calls = _interactive_calls(settings)
        asking = AnswerModel(self._chat, self._database, self._calls) if self._chat else None
        self._server = RpcServer(
            settings.server,
            self._database,
            self._registrations(sources, asking),
            partial(warm_up, sources, self._tokens, settings.database.pool_min),
        )

    def _registrations(
        self, sources: Sources, answer_model: AnswerModel | None
    ) -> list[Registration]:
        return [
            Registration(
                search_service_pb2.DESCRIPTOR,
                search_service_pb2_grpc.add_SearchServiceServicer_to_server,
                SearchService(sources, answer_model, self._stopping, self._tokens),
            ),
            Registration(
                context_service_pb2.DESCRIPTOR,
                context_service_pb2_grpc.add_ContextServiceServicer_to_server,
                ContextServicer(sources, self._tokens),
            ),
            Registration(
                fact_query_service_pb2.DESCRIPTOR,
                fact_query_service_pb2_grpc.add_FactQueryServiceServicer_to_server,
                FactQueryService(self._database),
            ),
            Registration(
                graph_query_service_pb2.DESCRIPTOR,
                graph_query_service_pb2_grpc.add_GraphQueryServiceServicer_to_server,
                GraphQueryService(sources),
            ),
        ]

    async def start(self) -> str:
        warn_if_slow()
        await self._database.open()
        await self._embedder.open()
        self._cache.open()
        return await self._server.start()

    async def stop(self) -> None:
        self._stopping.set()
        await self._server.stop()
        await self._cache.close()
        await self._embedder.close()
        if self._chat:
            await self._chat.close()
        if self._calls:
            await self._calls.close()
        await self._database.close()


def _chat_client(settings: ChatSettings) -> ChatClient:
    # Imported late: the module takes a tenth of the service's import time and is useless if no chat model is
    # configured.
    from everword.chat.client import ChatClient

    # A caller waits for the answer, so a failed request is retried only once, after 1 s.
    return ChatClient(replace(settings, pauses_s=(1.0,)))


def _interactive_calls(settings: SearchSettings) -> InteractiveCalls | None:
    if not (settings.chat and settings.redis_url):
        return None
    # Imported late, as the client above.
    from everword.chat.priority import InteractiveCalls

    return InteractiveCalls(settings.redis_url, settings.chat.endpoint)
