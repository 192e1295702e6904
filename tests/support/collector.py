"""A trace collector that counts spans by process."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2_grpc as metrics_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2_grpc as traces_grpc

#: Resource attribute that distinguishes processes of one service.
REPLICA = "test.replica"
#: Seconds until a process must have exported an ended span.
FLUSH_S = 0.2


class Collector(traces_grpc.TraceServiceServicer):
    """Counts ended spans by process and name."""

    def __init__(self) -> None:
        self.address = ""
        self._counts: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def Export(self, request: Any, context: Any) -> Any:
        """Count the spans that a process exports."""
        with self._lock:
            for sent in request.resource_spans:
                of = {each.key: each.value.string_value for each in sent.resource.attributes}
                for scope in sent.scope_spans:
                    self._counts.update((of[REPLICA], span.name) for span in scope.spans)
        return traces.ExportTraceServiceResponse()

    def spans(self, name: str) -> Counter[str]:
        """Return how many spans of a name each process ended so far."""
        with self._lock:
            return Counter(
                {replica: count for (replica, of), count in self._counts.items() if of == name}
            )

    def environment(self, replica: str) -> dict[str, str]:
        """Return environment variables that make a process export its spans here, every `FLUSH_S` seconds."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{self.address}",
            "OTEL_RESOURCE_ATTRIBUTES": f"{REPLICA}={replica}",
            "OTEL_BSP_SCHEDULE_DELAY": str(int(1000 * FLUSH_S)),
            "OTEL_BSP_MAX_QUEUE_SIZE": "50000",
        }


class _Ignored(metrics_grpc.MetricsServiceServicer):
    def Export(self, request: Any, context: Any) -> Any:
        return metrics.ExportMetricsServiceResponse()


@contextmanager
def running_collector() -> Iterator[Collector]:
    collector = Collector()
    with ThreadPoolExecutor(4) as pool:
        server = grpc.server(pool)
        traces_grpc.add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]
        metrics_grpc.add_MetricsServiceServicer_to_server(_Ignored(), server)  # type: ignore[no-untyped-call]
        collector.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        try:
            yield collector
        finally:
            server.stop(None).wait()
