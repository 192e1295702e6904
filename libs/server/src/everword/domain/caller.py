"""Who calls, and which namespace is theirs."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum
from uuid import UUID

from everword.domain.credentials import CredentialPolicy
from everword.domain.not_found import NamespaceNotFound


class Role(IntEnum):
    """A caller's rights; each role may do what the one before it may. Values equal proto `ApiKeyRole`."""

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

    @property
    def refuses_credentials(self) -> bool:
        """Tell whether what holds credentials is not stored."""
        return self.credentials == CredentialPolicy.REFUSE

    @property
    def masks_credentials(self) -> bool:
        """Tell whether what is derived holds marks in the place of credentials."""
        return self.credentials != CredentialPolicy.KEEP


@dataclass(frozen=True)
class KeyScope:
    """What a key is bound to: what its calls see and write is of this agent and this subject alone."""

    #: Empty where it is bound to none; one of the two is not.
    agent: str
    subject: str


@dataclass(frozen=True)
class Caller:
    """The authenticated caller of the current RPC."""

    role: Role
    #: None for an operator's call that names no existing namespace: only AdminService can be called so.
    namespace: NamespaceScope | None
    #: Whether an operator's key was shown. Nobody shows one while calls without a key are let in.
    operator: bool = False
    #: Whether the call is one of a grant's.
    granted: bool = False
    #: What the caller's key is bound to; None where it opens the whole namespace.
    scope: KeyScope | None = None
    #: The key that was shown; None for EVERWORD_ADMIN_KEY and grants, and where no key is asked for.
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
    """Return what the current call is bound to; None for a whole namespace, and outside of a call."""
    caller = _caller.get(None)
    return caller.scope if caller else None
