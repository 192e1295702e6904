"""The output of commands: tables for people, one JSON document for programs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import click
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.padding import Padding
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from everword.client.kinds import kind_word
from everword.domain.documents import display_path
from everword.v1 import fact_pb2, memory_pb2, summary_pb2

#: Stored text is not to be trusted with the terminal: escape sequences could do anything to it.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

#: Numbers that proto JSON writes as text.
_LONG = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)
#: Between columns, and before the text below them.
_GAP = 2
#: Narrowest readable column.
_NARROWEST = 8

#: Characters shown of a current value.
VALUE_CHARS = 400

#: The longest name of a row that a table keeps on one line: an id has 36 characters.
WHOLE_NAME = 40
#: The longest word that a table does not break: names of models have about 30 characters, URLs have more.
WHOLE_WORD = 32

#: Exit status of an import that skipped records.
SOME_SKIPPED = 3

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead of tables."
)


def printable(text: str) -> str:
    """Return stored text without control characters."""
    return _CONTROL.sub("�", text)


def plain(text: str) -> Text:
    """Return stored text for a table or a line: no markup, no escape sequences."""
    return Text(printable(text))


def line(text: str) -> None:
    """Print a line of stored or other text, folded where the terminal ends."""
    Console(highlight=False).print(plain(text), soft_wrap=False)


def verbatim(text: str) -> None:
    """Print stored text as it is laid out: folded, a line of it could seem to be two."""
    click.echo("\n".join(map(printable, text.split("\n"))))


def note(text: str) -> None:
    """Print a remark to standard error, apart from the result."""
    click.echo(text, err=True)


def print_json(message: Message) -> None:
    """Print a response as one JSON document."""
    click.echo(json.dumps(to_document(message), ensure_ascii=False, indent=2))


def print_json_documents(messages: Mapping[str, Message]) -> None:
    """Print responses as one document, each under its name."""
    documents = {name: to_document(message) for name, message in messages.items()}
    click.echo(json.dumps(documents, ensure_ascii=False, indent=2))


def to_document(message: Message) -> dict[str, Any]:
    """Return a response in proto JSON with the names of the proto, empty fields, and all numbers as numbers."""
    document: dict[str, Any] = json_format.MessageToDict(
        message,
        preserving_proto_field_name=True,
        always_print_fields_with_no_presence=True,
    )
    _restore_numbers(document, message.DESCRIPTOR)
    return document


def _restore_numbers(document: dict[str, Any], kind: Any) -> None:
    """Make numbers again of the 64-bit ones, which proto JSON writes as text for readers that round such."""
    field: FieldDescriptor
    for field in kind.fields:
        if field.name not in document:
            continue
        inner, value = field.message_type, document[field.name]
        if inner is not None and inner.GetOptions().map_entry:
            of_value = inner.fields_by_name["value"]
            document[field.name] = {key: _restored(each, of_value) for key, each in value.items()}
        elif isinstance(value, list):
            document[field.name] = [_restored(each, field) for each in value]
        else:
            document[field.name] = _restored(value, field)


def _restored(value: Any, field: FieldDescriptor) -> Any:
    if field.cpp_type in _LONG:
        return int(value)
    # Messages of `google.protobuf`, such as timestamps, have their own JSON form.
    if field.message_type is not None and field.message_type.file.package == "everword.v1":
        _restore_numbers(value, field.message_type)
    return value


def print_table(columns: tuple[str, ...], rows: list[tuple[Any, ...]], right: str = "") -> None:
    """Print a table, or `none` if it has no rows; `right` names the columns of numbers, separated by spaces.

    Words are not broken. If the terminal is too narrow for whole words, each row is a block with one line per column.
    """
    if not rows:
        line("none")
        return
    cells = [[cell if isinstance(cell, Text) else plain(str(cell)) for cell in row] for row in rows]
    console = Console()
    widths = _column_widths(columns, cells, right.split(), console.width - 3 * len(columns) + 1)
    if widths is not None:
        table = Table(box=SIMPLE, pad_edge=False)
        for column, width in zip(columns, widths, strict=True):
            # Long texts wrap onto further lines, because truncated text can be neither read nor copied.
            is_number = column in right.split()
            justify: JustifyMethod = "right" if is_number else "left"
            table.add_column(column, width=width, justify=justify, overflow="fold")
        for row in cells:
            table.add_row(*row)
        console.print(table)
        return
    for row in cells:
        block = Table.grid(padding=(0, _GAP, 0, 0))
        block.add_column(no_wrap=True)
        block.add_column(overflow="fold")
        for column, cell in zip(columns, row, strict=True):
            if cell:
                block.add_row(Text(column, style="bold"), cell)
        console.print(block)
        console.print()


def _column_widths(
    columns: Sequence[str], cells: Sequence[Sequence[Text]], numbers: Sequence[str], budget: int
) -> list[int] | None:
    """Return the widths of a table's columns, so that no short word is broken; None if they do not fit.

    Numbers and a short first column are kept on one line.
    """
    widths, floors = [], []
    for place, column in enumerate(columns):
        texts = [Text(column), *(row[place] for row in cells)]
        widths.append(max(each.cell_len for each in texts))
        is_whole = column in numbers or (place == 0 and widths[0] <= WHOLE_NAME)
        words = (word for each in texts for word in each.plain.split())
        longest = max(map(cell_len, words), default=0)
        floors.append(widths[-1] if is_whole else min(longest, WHOLE_WORD))
    while sum(widths) > budget:
        widest = max(range(len(widths)), key=lambda place: widths[place] - floors[place])
        if widths[widest] == floors[widest]:
            return None
        widths[widest] -= 1
    return widths


def print_entries(
    columns: tuple[str, ...], rows: Sequence[tuple[Any, ...]], right: str = "", fold: str = ""
) -> None:
    """Print rows, or `none` if there are none; the last cell of a row is a text and is printed below the other cells.

    `columns` names the other cells; `right` lists the columns of numbers, and `fold` those that may be wrapped,
    separated by spaces. All others stay on one line, so that an id can be copied whole.
    """
    if not rows:
        line("none")
        return
    console = Console(highlight=False)
    cells = [[plain(str(cell)) for cell in row] for row in rows]
    above = [[Text(name, style="bold") for name in columns], *(row[:-1] for row in cells)]
    widths = [max(row[place].cell_len for row in above) for place in range(len(columns))]
    foldable = [place for place, name in enumerate(columns) if name in fold.split()]
    _narrow(widths, foldable, console.width)
    for row, text in zip(above, [Text(), *(row[-1] for row in cells)], strict=True):
        grid = Table.grid(padding=(0, _GAP, 0, 0))
        for name, width in zip(columns, widths, strict=True):
            is_number = name in right.split()
            grid.add_column(width=width, justify="right" if is_number else "left", overflow="fold")
        grid.add_row(*row)
        console.print(grid)
        if text:
            console.print(Padding(text, (0, 0, 0, _GAP)), overflow="fold")


def _narrow(widths: list[int], foldable: Sequence[int], budget: int) -> None:
    """Make columns narrower, the widest of the foldable ones first, until all fit into `budget`."""
    while sum(widths) + _GAP * len(widths) > budget:
        widest = max(foldable, key=lambda place: widths[place], default=None)
        if widest is None or widths[widest] <= _NARROWEST:
            return
        widths[widest] -= 1


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
    """Return the author of a memory, or its role, or its level and kind; for part of a document, the path of its
    headings.
    """
    if memory.document_title:
        return display_path(memory.document_title, memory.headings)
    if memory.author:
        return memory.author
    if memory.role:
        return memory_pb2.Role.Name(memory.role).removeprefix("ROLE_").lower()
    if memory.summary_level:
        level = summary_pb2.SummaryLevel.Name(memory.summary_level)
        return f"{level.removeprefix('SUMMARY_LEVEL_').lower()} {kind_word(memory.kind)}"
    return kind_word(memory.kind)


def trust_of(memory: memory_pb2.Memory) -> str:
    """Return a mark for a suspicious or untrusted memory; empty for others."""
    return "suspicious" if memory.suspicious else "untrusted" if memory.untrusted else ""


def said(memory: memory_pb2.Memory, text: str, limit: int) -> str:
    """Return the trust mark, the speaker, and the beginning of `text` (of the content if `text` is empty),
    on one line.
    """
    trust = trust_of(memory)
    mark = f"[{trust}] " if trust else ""
    return f"{mark}{speaker(memory)}: {shorten(text or memory.content, limit)}"


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


def progress(*, counted: bool = True) -> Progress:
    """Return a progress display on standard error, which shows nothing unless that is a terminal.

    It shows "done of total" if `counted`, otherwise a percentage, such as for bytes.
    """
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn() if counted else TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
    )


def superseded(facts: Iterable[fact_pb2.SupersededFact]) -> str:
    """Return a line for each thing that a memory says and that does not hold any more."""
    told = []
    for each in facts:
        if each.ending == fact_pb2.FACT_ENDING_POSSIBLY_REPLACED:
            newer = shorten(each.current_text, VALUE_CHARS)
            told.append(f"\n  may be outdated since {when(each.ended_time)}: {newer}")
            continue
        corrected = each.ending == fact_pb2.FACT_ENDING_CORRECTED
        now = f"; now {shorten(each.current_value, VALUE_CHARS)}" if each.current_value else ""
        how = "corrected" if corrected else "until"
        what = each.attribute or f'"{each.value}"'
        told.append(f"\n  {what} {how} {when(each.ended_time)}{now}")
    return "".join(told)
