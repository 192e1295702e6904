"""`everword lore`: lorebooks, and which of their entries a text sets off."""

from __future__ import annotations

from typing import Any

import click

from everword.cli.lore.book_keys import book_key
from everword.cli.lore.import_book import import_
from everword.cli.lore.shown import described, for_whom, state, why
from everword.cli.notes import scope_options
from everword.cli.output import (
    json_option,
    line,
    note,
    print_json,
    print_table,
    shorten,
    when,
)
from everword.cli.session import remote
from everword.cli.suggestions import did_you_mean, list_lore_books
from everword.client import CallError, Client
from everword.client.pages import PAGE_SIZE, list_all
from everword.v1 import lore_pb2
from everword.v1 import lore_service_pb2 as pb

_NO_BOOK = "LORE_BOOK_NOT_FOUND"
_MODES = {
    "keys": lore_pb2.LORE_TRIGGER_MODE_SUBSTRING,
    "words": lore_pb2.LORE_TRIGGER_MODE_WORD,
    "exacts": lore_pb2.LORE_TRIGGER_MODE_EXACT,
    "patterns": lore_pb2.LORE_TRIGGER_MODE_REGEX,
}
#: A book takes longer than an entry to read: pages of this size.


@click.group()
def lore() -> None:
    """Write, import and test lorebooks."""


@lore.command()
@click.option("--agent", "agents", multiple=True, help="Include only books of this agent.")
@click.option("--subject", "subjects", multiple=True, help="Include only books of this user.")
@json_option
@remote
async def books(
    client: Client, agents: tuple[str, ...], subjects: tuple[str, ...], as_json: bool
) -> None:
    """List lorebooks."""
    request = pb.ListLoreBooksRequest(
        filter=pb.LoreBookFilter(agents=agents, subjects=subjects), page_size=PAGE_SIZE
    )
    found = await list_all(client.lore_service.ListLoreBooks, request)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            shorten(each.body.name, 40),
            for_whom(each.body.scope),
            each.entry_count,
            state(each.body.disabled),
            when(each.update_time),
        )
        for each in found.books
    ]
    print_table(("book", "for", "entries", "state", "written"), rows)


@lore.command()
@click.argument("book")
@scope_options
@json_option
@remote
async def entries(
    client: Client, book: str, agent: str, subject: str, conversation: str, as_json: bool
) -> None:
    """List the entries of BOOK."""
    key = book_key(book, agent, subject, conversation)
    found = await _entries(client, key)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            shorten(each.body.title, 40),
            shorten(", ".join(map(described, each.body.triggers)), 60),
            shorten(each.body.content, 80),
            each.body.scan_depth,
            each.body.sticky_turns or "",
            each.body.priority,
            "constant" if each.body.constant else state(each.body.disabled),
        )
        for each in found.entries
    ]
    head = ("entry", "triggers", "content", "depth", "sticky", "priority", "state")
    print_table(head, rows)


@lore.command()
@click.argument("book")
@click.argument("title")
@click.argument("content")
@scope_options
@click.option(
    "--key", "keys", multiple=True, help="Trigger the entry on this text anywhere in a message."
)
@click.option("--word", "words", multiple=True, help="Trigger the entry on these whole words.")
@click.option(
    "--exact",
    "exacts",
    multiple=True,
    help="Trigger the entry on a message with exactly this text.",
)
@click.option(
    "--regex", "patterns", multiple=True, help="Trigger the entry on a match of this RE2 pattern."
)
@click.option("--case", is_flag=True, help="Match case.")
@click.option("--depth", "scan_depth", type=click.IntRange(0, 100), default=5, show_default=True)
@click.option(
    "--priority",
    type=int,
    default=0,
    show_default=True,
    help="Set the priority; higher priorities enter a context first.",
)
@click.option(
    "--sticky",
    "sticky_turns",
    type=click.IntRange(0, 100),
    default=0,
    help="Keep a triggered entry for this many turns.",
)
@click.option("--constant", is_flag=True, help="Include the entry in every context.")
@click.option("--disabled", is_flag=True, help="Exclude the entry from every context.")
@json_option
@remote
async def add(
    client: Client,
    book: str,
    title: str,
    content: str,
    agent: str,
    subject: str,
    conversation: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Write the entry TITLE of BOOK, and replace an existing one. Creates BOOK if needed."""
    key = book_key(book, agent, subject, conversation)
    request = pb.WriteLoreEntryRequest(key=key, entry=_entry(title, content, options))
    try:
        response = await client.lore_service.WriteLoreEntry(request)
    except CallError as error:
        if error.reason != _NO_BOOK:
            raise
        note(f"the book {book!r} is new.{did_you_mean(book, await list_lore_books(client))}")
        made = lore_pb2.NewLoreBook(name=book, scope=key.scope)
        await client.lore_service.WriteLoreBook(pb.WriteLoreBookRequest(book=made))
        response = await client.lore_service.WriteLoreEntry(request)
    if as_json:
        print_json(response)
    else:
        line(f"{book}: {title}")


@lore.command()
@click.argument("book")
@click.argument("title", required=False)
@scope_options
@json_option
@remote
async def delete(
    client: Client,
    book: str,
    title: str | None,
    agent: str,
    subject: str,
    conversation: str,
    as_json: bool,
) -> None:
    """Delete the entry TITLE of BOOK; without TITLE, the whole BOOK."""
    key = book_key(book, agent, subject, conversation)
    response: pb.DeleteLoreBookResponse | pb.DeleteLoreEntryResponse
    if title is None:
        response = await client.lore_service.DeleteLoreBook(pb.DeleteLoreBookRequest(key=key))
    else:
        ids = {each.body.title: each.id for each in (await _entries(client, key)).entries}
        if title not in ids:
            similar = did_you_mean(title, ids)
            raise click.ClickException(f"{book!r} has no entry {title!r}.{similar}")
        request = pb.DeleteLoreEntryRequest(entry_id=ids[title])
        response = await client.lore_service.DeleteLoreEntry(request)
    if as_json:
        print_json(response)
    else:
        line(f"{book if title is None else title}: deleted")


@lore.command()
@click.argument("text")
@scope_options
@click.option(
    "--automated", is_flag=True, help="Treat TEXT as an automated message, which uses no turn."
)
@json_option
@remote
async def test(
    client: Client,
    text: str,
    agent: str,
    subject: str,
    conversation: str,
    automated: bool,
    as_json: bool,
) -> None:
    """Show which entries a context would hold after TEXT, and why."""
    scope = book_key("", agent, subject, conversation).scope
    request = pb.MatchLoreRequest(text=text, scope=scope, automated=automated)
    response = await client.lore_service.MatchLore(request)
    if as_json:
        print_json(response)
        return
    titles = {each.entry_id: each.title for each in response.matches}
    rows = [
        (shorten(each.title, 40), why(each, titles), shorten(each.content, 80), each.priority)
        for each in response.matches
    ]
    print_table(("entry", "why", "content", "priority"), rows)


def _entry(title: str, content: str, options: dict[str, Any]) -> lore_pb2.NewLoreEntry:
    """Return what `add` is to write."""
    case = options.pop("case")
    triggers = [
        lore_pb2.LoreTrigger(text=text, mode=mode, case_sensitive=case)
        for option, mode in _MODES.items()
        for text in options.pop(option)
    ]
    return lore_pb2.NewLoreEntry(title=title, content=content, triggers=triggers, **options)


async def _entries(client: Client, key: lore_pb2.LoreBookKey) -> pb.ListLoreEntriesResponse:
    """Return all entries of a book."""
    request = pb.ListLoreEntriesRequest(key=key, page_size=PAGE_SIZE)
    return await list_all(client.lore_service.ListLoreEntries, request)


lore.add_command(import_)
