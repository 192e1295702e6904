"""SearchService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from everword.db.pool import Database
from everword.v1.search_service_pb2_grpc import SearchServiceServicer


class SearchServicer(SearchServiceServicer):
    """Every read of a namespace."""

    def __init__(self, database: Database) -> None:
        self._database = database
