"""Lets a call in only for a caller whose role its proto asks for, and binds it to the caller's namespace."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from everword.client.headers import CHECK_HEADER
from everword.domain.caller import Caller, Role, set_caller
from everword.domain.deadline import remaining
from everword.domain.errors import (
    AccessDenied,
    EverwordError,
    InvalidCredentials,
    OutOfScope,
    Unauthenticated,
)
from everword.domain.not_found import NamespaceNotFound
from everword.rpc.authentication import (
    DEFAULT_NAMESPACE,
    INTERNAL_HEADER,
    NAMESPACE_HEADER,
    Authenticator,
)
from everword.rpc.interceptors.base import IncomingCall, Interceptor
from everword.rpc.methods import INTERNAL
from everword.rpc.settings import ServerSettings

log = logging.getLogger(__name__)
#: How often it is asked whether the caller of a call that takes long is still let in. With KEY_CACHE_S, a call goes on
#: for less than a second after its key was revoked, unless the database takes its time to answer.
DRAIN_ACCEPT_S = 0.4


class AuthInterceptor(Interceptor):
    """Authenticates and authorises."""

    def __init__(
        self,
        authenticator: Authenticator,
        settings: ServerSettings,
        access: dict[str, Role],
        scoped: Collection[str],
    ) -> None:
        self._authenticator = authenticator
        self._token = settings.internal_token
        self._loopback = settings.loopback
        self._access = access
        self._scoped = scoped

    @asynccontextmanager
    async def around(self, call: IncomingCall) -> AsyncIterator[None]:
        if call.path.startswith(INTERNAL):
            self._check_internal(call.metadata.get(INTERNAL_HEADER))
            yield
            return
        set_caller(await self.authorize(call, spends=CHECK_HEADER not in call.metadata))
        watch = Watch(self, call)
        try:
            async with watch.scope:
                yield
        except TimeoutError:
            if watch.refusal is None:
                raise
            raise watch.refusal from None
        finally:
            watch.stop()

    async def authorize(self, call: IncomingCall, *, spends: bool = True) -> Caller:
        """Return who calls, and count the call of a grant if it `spends`.

        Raises Unauthenticated, AccessDenied, OutOfScope, GrantExhausted, NamespaceNotFound or Overloaded.
        """
        caller = await self._authenticator.authenticate(call.metadata, spends=spends)
        needed = self._access[call.path]
        if caller.role < needed:
            raise AccessDenied(needed=needed.name.lower(), role=caller.role.name.lower())
        if caller.scope and call.path not in self._scoped:
            raise OutOfScope(
                "The API key is restricted to an agent or a subject, and this call cannot be restricted."
            )
        # An operator manages namespaces that may not exist yet; every other call works in one.
        if caller.namespace is None and needed is not Role.ADMIN:
            name = call.metadata.get(NAMESPACE_HEADER) or DEFAULT_NAMESPACE
            raise NamespaceNotFound(namespace=name)
        return caller

    def _check_internal(self, shown: str | None) -> None:
        if not self._token:
            if not self._loopback:
                raise Unauthenticated(
                    "Set EVERWORD_INTERNAL_TOKEN to the same value in every service."
                )
            return
        if shown is None:
            raise Unauthenticated("Only Everword's services may make this call.")
        if not hmac.compare_digest(shown.encode(), self._token.reveal().encode()):
            raise InvalidCredentials("The internal token is wrong.")


class Watch:
    """Ends a call that takes long once its caller is not let in any more."""

    def __init__(self, interceptor: AuthInterceptor, call: IncomingCall) -> None:
        self._interceptor = interceptor
        self._call = call
        self._loop = asyncio.get_running_loop()
        #: Around the call.
        self.scope = asyncio.timeout(None)
        #: Reason for which the call was ended; None if it was not.
        self.refusal: EverwordError | None = None
        # Most calls end sooner, and cost no task.
        self._task: asyncio.Task[None] | None = None
        self._timer = self._loop.call_later(DRAIN_ACCEPT_S, self._start)

    def stop(self) -> None:
        self._timer.cancel()
        if self._task:
            self._task.cancel()

    def _start(self) -> None:
        self._task = self._loop.create_task(self._ask())

    async def _ask(self) -> None:
        while True:
            try:
                await self._interceptor.authorize(self._call, spends=False)
            except (Unauthenticated, AccessDenied, NamespaceNotFound) as error:
                self.refusal = error
                self.scope.reschedule(self._loop.time())
                return
            except Exception as error:  # a database that is away says nothing about the caller
                if remaining(DRAIN_ACCEPT_S) < 0.01:
                    return  # its deadline is here: the call ends in any case
                log.warning("credentials not rechecked", extra={"error": repr(error)})
            await asyncio.sleep(DRAIN_ACCEPT_S)
