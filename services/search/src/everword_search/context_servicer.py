"""ContextService: translates requests, calls the use case of the same name, translates the result."""

from __future__ import annotations

from everword.db.pool import Database
from everword.v1.context_service_pb2_grpc import ContextServiceServicer


class ContextServicer(ContextServiceServicer):
    """What an agent should have in mind."""

    def __init__(self, database: Database) -> None:
        self._database = database
