"""The current caller, and its namespace."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum
from uuid import UUID

from everword.domain.credentials import CredentialPolicy
from everword.domain.not_found import NamespaceNotFound


class Role(IntEnum):
    """A caller's rights; each role includes the one before it. Values equal proto `ApiKeyRole`."""

    READ = 1
    WRITE = 2
    ADMIN = 3


@dataclass(frozen=True)
class NamespaceScope:
    """The namespace that a call works in."""

    id: int
    #: The namespace's public name.
    name: str
    #: How it takes credentials: values equal proto `CredentialPolicy`. Its default outside of calls.
    credentials: int = field(default=0, compare=False)
    #: Ranking profile of searches and contexts that name none; empty for the default.
    ranking_profile: str = field(default="", compare=False)

    @property
    def refuses_credentials(self) -> bool:
        """Return whether texts with credentials are refused."""
        return self.credentials == CredentialPolicy.REFUSE

    @property
    def masks_credentials(self) -> bool:
        """Return whether credentials are masked in derived memories."""
        return self.credentials != CredentialPolicy.KEEP


@dataclass(frozen=True)
class KeyScope:
    """The scope of a key: its calls read and write only memories of this agent and this subject."""

    #: Empty if the key is bound to a subject only; at least one of the two is set.
    agent: str
    subject: str


@dataclass(frozen=True)
class Caller:
    """The authenticated caller of the current RPC."""

    role: Role
    #: None if an operator names no existing namespace; only AdminService accepts such a call.
    namespace: NamespaceScope | None
    #: True if an operator's key was given; always False while calls without a key are accepted.
    operator: bool = False
    #: True for a call with a grant.
    granted: bool = False
    #: The scope of the caller's key; None for a key to the whole namespace.
    scope: KeyScope | None = None
    #: Id of the key; None for EVERWORD_ADMIN_KEY and grants, and if no key is required.
    api_key_id: UUID | None = None


_caller: ContextVar[Caller] = ContextVar("everword_caller")


def set_caller(caller: Caller) -> None:
    _caller.set(caller)


def current_caller() -> Caller:
    """Return the caller of the current RPC. LookupError outside of one."""
    return _caller.get()


def current_namespace() -> NamespaceScope:
    """Return the namespace of the current call. Raises NamespaceNotFound where an operator named none that is there."""
    namespace = current_caller().namespace
    if namespace is None:
        raise NamespaceNotFound
    return namespace


def current_scope() -> KeyScope | None:
    """Return the scope of the current call; None for a whole namespace, and outside of a call."""
    caller = _caller.get(None)
    return caller.scope if caller else None
