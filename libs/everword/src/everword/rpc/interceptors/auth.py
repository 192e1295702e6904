"""Lets a call in only for a caller whose role its proto asks for, and binds it to the caller's namespace."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from everword.domain.caller import Caller, Role, set_caller
from everword.domain.errors import (
    AccessDenied,
    InvalidCredentials,
    NamespaceNotFound,
    Unauthenticated,
)
from everword.rpc.authentication import (
    DEFAULT_NAMESPACE,
    INTERNAL_HEADER,
    NAMESPACE_HEADER,
    Authenticator,
)
from everword.rpc.interceptors.base import Call, Interceptor
from everword.rpc.methods import INTERNAL
from everword.rpc.settings import ServerSettings


class AuthInterceptor(Interceptor):
    """Authenticates and authorises."""

    def __init__(
        self, authenticator: Authenticator, settings: ServerSettings, access: dict[str, Role]
    ) -> None:
        self._authenticator = authenticator
        self._token = settings.internal_token
        self._loopback = settings.loopback
        self._access = access

    @asynccontextmanager
    async def around(self, call: Call) -> AsyncIterator[None]:
        if call.path.startswith(INTERNAL):
            self._check_internal(call.metadata.get(INTERNAL_HEADER))
        else:
            set_caller(await self._authorize(call))
        yield

    async def _authorize(self, call: Call) -> Caller:
        caller = await self._authenticator.authenticate(call.metadata)
        needed = self._access[call.path]
        if caller.role < needed:
            raise AccessDenied(needed=needed.name.lower(), role=caller.role.name.lower())
        # An operator manages namespaces that may not exist yet; every other call works in one.
        if caller.namespace is None and needed is not Role.ADMIN:
            name = call.metadata.get(NAMESPACE_HEADER) or DEFAULT_NAMESPACE
            raise NamespaceNotFound(namespace=name)
        return caller

    def _check_internal(self, shown: str | None) -> None:
        if not self._token:
            if not self._loopback:
                raise Unauthenticated("Set EVERWORD_INTERNAL_TOKEN in every service.")
            return
        if shown is None:
            raise Unauthenticated("This call is between Everword's services.")
        if not hmac.compare_digest(shown.encode(), self._token.reveal().encode()):
            raise InvalidCredentials("The internal token is wrong.")
