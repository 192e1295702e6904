"""One interceptor a module. Their order is part of the contract, and a test holds it."""

from __future__ import annotations

from collections.abc import Sequence

import grpc
from google.protobuf.descriptor import ServiceDescriptor

from everword.quotas.quotas import Quotas
from everword.rpc.authentication import Authenticator
from everword.rpc.capacity import Capacity
from everword.rpc.health import Health
from everword.rpc.interceptors.auth import AuthInterceptor
from everword.rpc.interceptors.capacity import CapacityInterceptor
from everword.rpc.interceptors.credentials import CredentialInterceptor
from everword.rpc.interceptors.deadline import DeadlineInterceptor
from everword.rpc.interceptors.errors import ErrorInterceptor
from everword.rpc.interceptors.key_check import KeyCheckInterceptor
from everword.rpc.interceptors.keyless import KeylessInterceptor
from everword.rpc.interceptors.quotas import QuotaInterceptor
from everword.rpc.interceptors.request_id import RequestIdInterceptor
from everword.rpc.interceptors.schema import SchemaInterceptor
from everword.rpc.interceptors.scope import ScopeInterceptor
from everword.rpc.interceptors.shedding import SheddingInterceptor
from everword.rpc.interceptors.telemetry import TelemetryInterceptor
from everword.rpc.interceptors.validation import ValidationInterceptor
from everword.rpc.methods import access_table
from everword.rpc.scopes import scope_table
from everword.rpc.settings import ServerSettings
from everword.rpc.shedding import Shedding


def ordered_interceptors(
    settings: ServerSettings,
    authenticator: Authenticator,
    quotas: Quotas,
    health: Health,
    services: list[ServiceDescriptor],
) -> Sequence[grpc.aio.ServerInterceptor]:
    """Return the interceptors of a server, outermost first."""
    scoped = scope_table(services)
    access = access_table(services)
    capacity = Capacity(settings.max_concurrent, settings.service)
    shedding = Shedding(capacity)
    return (
        SheddingInterceptor(shedding, access),  # first: its refusals cost next to nothing
        TelemetryInterceptor(),  # around all else, so that every outcome is counted
        RequestIdInterceptor(),  # before whatever logs
        ErrorInterceptor(),  # around all that may refuse
        DeadlineInterceptor(),  # before the first statement, which is authentication's
        SchemaInterceptor(health),  # before the first statement too
        AuthInterceptor(authenticator, settings, access, scoped.keys()),
        KeyCheckInterceptor(),  # before the call is counted
        QuotaInterceptor(
            quotas, access, shedding
        ),  # callers over a limit take no slot, and their request is not read
        CapacityInterceptor(capacity, shedding),  # Earlier than any reading of a request.
        KeylessInterceptor(),  # around health and reflection, which the others pass by
        ValidationInterceptor(services),  # late: a stranger learns nothing about the rules
        ScopeInterceptor(scoped),  # The following ones read the parsed request.
        CredentialInterceptor(services),
    )
