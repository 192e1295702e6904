"""Applies the scope of a key to requests: the fields with agents and subjects, as declared in protos.

The database enforces the scope in any case. The fields restrict the request's meaning and searches in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message

from everword.domain.caller import KeyScope
from everword.domain.errors import OutOfScope
from everword.v1 import access_pb2

#: Beside it, the conversation's agent and subject count.
_CONVERSATION = "conversation_id"


@dataclass(frozen=True)
class ScopedFields:
    """The fields of a request that name the agent and the subject, as names from the outside in; empty for none."""

    agent: Sequence[str] = ()
    subject: Sequence[str] = ()
    #: The field that names a conversation by its key and its subject.
    conversation: Sequence[str] = ()


def scope_table(services: Sequence[ServiceDescriptor]) -> dict[str, ScopedFields]:
    """Return the fields of each RPC that keys with a scope may call, by path: `/everword.v1.SearchService/Search`."""
    table: dict[str, ScopedFields] = {}
    for service in services:
        for method in service.methods:
            options = method.GetOptions()
            if options.HasExtension(access_pb2.key_scope):
                said = options.Extensions[access_pb2.key_scope]
                paths = (said.agent, said.subject, said.conversation)
                fields = ScopedFields(*map(_names, paths))
                table[f"/{service.full_name}/{method.name}"] = fields
    return table


def restrict_to_scope(request: Message, scope: KeyScope, fields: ScopedFields) -> None:
    """Fill in the scope in fields that a request leaves empty. Raises OutOfScope if it names another agent
    or subject.
    """
    held = [(fields.agent, scope.agent), (fields.subject, scope.subject)]
    if fields.conversation and _has(request, fields.conversation):
        held.append(((*fields.conversation, "key", "agent"), scope.agent))
        held.append(((*fields.conversation, "subject"), scope.subject))
    for names, value in held:
        if names and value:
            _restrict_field(request, names, value)


def _has(request: Message, names: Sequence[str]) -> bool:
    """Return whether the message field at a path is set."""
    message: Any = request
    for name in names:
        if not message.HasField(name):
            return False
        message = getattr(message, name)
    return True


def _restrict_field(request: Message, names: Sequence[str], value: str) -> None:
    message: Any = request
    for name in names[:-1]:
        field = message.DESCRIPTOR.fields_by_name[name]
        # The request uses another member of the oneof.
        if field.containing_oneof and not message.HasField(name):
            return
        message = getattr(message, name)
    last = names[-1]
    if getattr(message, _CONVERSATION, "") and not getattr(message, last):
        return
    if message.DESCRIPTOR.fields_by_name[last].is_repeated:
        given = list(getattr(message, last))
        if not given:
            getattr(message, last).append(value)
        elif value in given and "" in given:
            # Rows of no agent or subject are hidden from the key anyway.
            given = [name for name in given if name]
            del getattr(message, last)[:]
            getattr(message, last).extend(given)
    else:
        given = [getattr(message, last)] if getattr(message, last) else []
        setattr(message, last, value)
    if any(name != value for name in given):
        raise OutOfScope(field=".".join(names))


def _names(path: str) -> tuple[str, ...]:
    return tuple(path.split(".")) if path else ()
