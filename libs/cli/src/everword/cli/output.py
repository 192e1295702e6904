"""The output of commands: tables for people, one JSON document for programs."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import click
from google.protobuf import json_format
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from everword.v1 import memory_pb2

#: Stored text is not to be trusted with the terminal: escape sequences could do anything to it.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

#: The longest name of a row that a table keeps on one line: an id has 36 characters.
WHOLE_NAME = 40

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of tables."
)


def printable(text: str) -> str:
    """Return stored text without what a terminal would obey."""
    return _CONTROL.sub("�", text)


def plain(text: str) -> Text:
    """Return stored text for a table or a line: no markup, no escape sequences."""
    return Text(printable(text))


def line(text: str) -> None:
    """Print a line of stored or other text, folded where the terminal ends."""
    Console(highlight=False).print(plain(text), soft_wrap=False)


def note(text: str) -> None:
    """Tell a person something that is not the command's result."""
    click.echo(text, err=True)


def print_json(message: Message) -> None:
    """Print a response in proto JSON, with the names of the proto and with empty fields."""
    click.echo(
        json_format.MessageToJson(
            message,
            preserving_proto_field_name=True,
            always_print_fields_with_no_presence=True,
            ensure_ascii=False,
        )
    )


def print_table(columns: tuple[str, ...], rows: list[tuple[Any, ...]], right: str = "") -> None:
    """Print a table, or `none`; `right` names the columns of numbers, separated by spaces.

    The first column names the rows: it stays on one line where that leaves room for the others.
    """
    if not rows:
        line("none")
        return
    cells = [[cell if isinstance(cell, Text) else plain(str(cell)) for cell in row] for row in rows]
    table = Table(box=SIMPLE, pad_edge=False)
    names_fit = max(row[0].cell_len for row in cells) <= WHOLE_NAME
    for place, column in enumerate(columns):
        if column in right.split():
            table.add_column(column, justify="right", no_wrap=True)
        elif place == 0 and names_fit:
            table.add_column(column, no_wrap=True)
        else:
            # What does not fit goes on below: what is cut can be neither read nor copied.
            table.add_column(column, overflow="fold")
    for row in cells:
        table.add_row(*row)
    Console().print(table)


def shorten(text: str, limit: int) -> str:
    """Return `text` on one line, cut to `limit` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def when(time: Timestamp) -> str:
    """Return a time as people here read it; nothing for a time that is not set."""
    if not time.ByteSize():
        return ""
    return local(time.ToDatetime(UTC)).strftime("%Y-%m-%d %H:%M")


def local(time: datetime) -> datetime:
    """Return `time` in this machine's zone; as it is where the zone's calendar ends."""
    try:
        return time.astimezone()
    except (OverflowError, OSError, ValueError):
        return time


def speaker(memory: memory_pb2.Memory) -> str:
    """Return who said it, or what it is where nobody did."""
    if memory.author:
        return memory.author
    if memory.role:
        return memory_pb2.Role.Name(memory.role).removeprefix("ROLE_").lower()
    return memory_pb2.MemoryKind.Name(memory.kind).removeprefix("MEMORY_KIND_").lower()


def age(duration: Duration) -> str:
    seconds = duration.ToTimedelta()
    return str(timedelta(seconds=round(seconds.total_seconds()))) if seconds else ""


def size(count: int) -> str:
    """Return a number of bytes for people."""
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def progress() -> Progress:
    """Return a progress display on the error stream, which shows nothing where that is no terminal."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )
