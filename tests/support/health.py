"""Queries a service's health."""

from __future__ import annotations

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc


async def serving(channel: grpc.aio.Channel, service: str = "") -> bool:
    """Return whether `service` reports SERVING; '' means the whole server."""
    stub = health_pb2_grpc.HealthStub(channel)
    answer = await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=30)  # type: ignore[attr-defined]
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
