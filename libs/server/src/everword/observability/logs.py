"""Logs: one JSON object a line, with the ids of the trace and of the request.

Event names are static and what varies is a key: `log.info("service started", extra={"address": address})`.
"""

from __future__ import annotations

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime

from opentelemetry import trace

request_id: ContextVar[str] = ContextVar("everword_request_id", default="")
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """Formats a record as one line of JSON."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "service": self._service,
            "logger": record.name,
            "event": record.getMessage(),
        }
        span = trace.get_current_span().get_span_context()
        if span.is_valid:
            line["trace_id"] = f"{span.trace_id:032x}"
            line["span_id"] = f"{span.span_id:016x}"
        if request_id.get():
            line["request_id"] = request_id.get()
        line |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str, ensure_ascii=False)


def setup_logs(service: str, level: str) -> None:
    """Send all logs of the process to standard output as JSON."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter(service))
    logging.basicConfig(handlers=[handler], level=level.upper(), force=True)
    # gRPC's own poller and OpenTelemetry's exporter report every lost peer; that is for debugging.
    logging.getLogger("grpc._cython.cygrpc").setLevel(logging.CRITICAL)
    logging.getLogger("opentelemetry").setLevel(logging.ERROR)
