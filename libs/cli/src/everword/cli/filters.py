"""The options that say which memories a command looks at."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from functools import wraps
from typing import Any

import click
from google.protobuf.timestamp_pb2 import Timestamp

from everword.cli.times import TimeParam
from everword.client.kinds import KINDS, kind_number
from everword.v1 import memory_pb2

ROLES = ("system", "user", "assistant", "tool")
#: Option, field of MemoryFilter, help. Each may be given several times.
_NAMES = (
    ("agent", "agents", "Include only memories of this agent."),
    ("subject", "subjects", "Include only memories about this user."),
    ("conversation", "conversation_ids", "Include only the conversation with this id."),
    ("channel", "channels", "Include only memories from this channel."),
    ("instance", "instances", "Include only memories that this instance of an agent wrote."),
    ("author", "authors", "Include only memories of this author."),
    ("tag", "tags", "Include only memories with this tag."),
    ("document", "document_ids", "Include only parts of the document with this id."),
    ("task", "task_ids", "Include only conversations of this task."),
)
_WHOSE = _NAMES[:2]
Command = Callable[..., Coroutine[Any, Any, None]]
Option = Callable[[Command], Command]


def filter_options(command: Command) -> Command:
    """Add the options of a filter, and give it to `command` as `filter`."""
    return _filtered(command, [*_other_options(), *_name_options(_NAMES)], _take_filter)


def context_options(command: Command) -> Command:
    """Add the options of whose context is built and as of when, and give them to `command` as `filter`."""
    return _filtered(command, [*_name_options(_WHOSE), *_as_of_options()], _take_context_filter)


def _filtered(
    command: Command,
    options: Sequence[Option],
    take: Callable[[dict[str, Any]], memory_pb2.MemoryFilter],
) -> Command:
    @wraps(command)
    async def run(*positional: Any, **arguments: Any) -> None:
        await command(*positional, filter=take(arguments), **arguments)

    decorated: Command = run
    for option in reversed(options):
        decorated = option(decorated)
    return decorated


def _name_options(names: Sequence[tuple[str, str, str]]) -> list[Option]:
    return [
        click.option(f"--{name}", field, multiple=True, help=text) for name, field, text in names
    ]


def _other_options() -> list[Option]:
    return [
        click.option(
            "--role",
            "roles",
            type=click.Choice(ROLES),
            multiple=True,
            help="Include only this role.",
        ),
        click.option(
            "--kind",
            "kinds",
            type=click.Choice(KINDS),
            multiple=True,
            help="Include only this kind.",
        ),
        click.option(
            "--since",
            type=TimeParam(),
            help="Include only memories from this time on: ISO, 7d, today.",
        ),
        click.option(
            "--before", type=TimeParam(), help="Include only memories from before this time."
        ),
        click.option(
            "--address-prefix",
            metavar="ADDRESS",
            default="",
            help="Include only memories below ADDRESS, such as viking://default/notes.",
        ),
        click.option("--include-automated", is_flag=True, help="Include automated messages."),
        click.option("--include-superseded", is_flag=True, help="Include superseded facts."),
        *_as_of_options(),
    ]


def _as_of_options() -> list[Option]:
    """Return the options of the moment that is asked about, and of the one of which the beliefs are."""
    return [
        click.option(
            "--valid-at", type=TimeParam(), help="Use the values that were true at this time."
        ),
        click.option(
            "--known-at", type=TimeParam(), help="Use the values that were believed at this time."
        ),
    ]


def _take_as_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """Take the options of `_as_of_options` out of `arguments`, as fields of a filter."""
    return {f"{name}_time": _timestamp(arguments.pop(name)) for name in ("valid_at", "known_at")}


def _take_context_filter(arguments: dict[str, Any]) -> memory_pb2.MemoryFilter:
    """Take the options of a context out of `arguments`."""
    whose = {field: arguments.pop(field) for _, field, _ in _WHOSE}
    return memory_pb2.MemoryFilter(**whose, **_take_as_of(arguments))


def _take_filter(arguments: dict[str, Any]) -> memory_pb2.MemoryFilter:
    """Take the filter's options out of `arguments`."""
    return memory_pb2.MemoryFilter(
        **{field: arguments.pop(field) for _, field, _ in _NAMES},
        roles=[memory_pb2.Role.Value(f"ROLE_{name.upper()}") for name in arguments.pop("roles")],
        kinds=[kind_number(kind) for kind in arguments.pop("kinds")],
        start_time=_timestamp(arguments.pop("since")),
        end_time=_timestamp(arguments.pop("before")),
        address_prefix=arguments.pop("address_prefix"),
        include_automated=arguments.pop("include_automated"),
        include_superseded=arguments.pop("include_superseded"),
        **_take_as_of(arguments),
    )


def _timestamp(time: datetime | None) -> Timestamp | None:
    if time is None:
        return None
    timestamp = Timestamp()
    timestamp.FromDatetime(time)
    return timestamp
