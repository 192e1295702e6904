"""`everword notes`: notes and the daily log."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import click

from everword.cli.output import json_option, line, note, print_json, print_table, shorten, when
from everword.cli.session import remote
from everword.cli.suggestions import did_you_mean, list_notes
from everword.cli.times import TimeParam
from everword.client import Client
from everword.client.pages import list_all
from everword.rpc.translate import to_timestamp
from everword.v1 import note_pb2
from everword.v1 import note_service_pb2 as pb

tags_option = click.option("--tag", "tags", multiple=True, help="Add a tag.")
author_option = click.option("--author", default="", help="Set the author.")
request_option = click.option("--request-id", default="", help="Make the command safe to repeat.")
version_option = click.option(
    "--expect",
    "expected",
    type=click.IntRange(0),
    help="Fail unless this is the current version; 0 if none exists.",
)


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a note's scope."""
    for name, help_ in (
        ("--conversation", "Set the id of the conversation that it belongs to."),
        ("--subject", "Set the user that it is about."),
        ("--agent", "Set the agent that it belongs to."),
    ):
        command = click.option(name, default="", help=help_)(command)
    return command


@click.group()
def notes() -> None:
    """Write, read and delete notes and the daily log."""


@notes.command()
@click.argument("key")
@click.argument("content")
@scope_options
@tags_option
@author_option
@request_option
@version_option
@click.option("--kind", default="", help="Set the kind of the note, such as decision.")
@click.option(
    "--importance", type=click.IntRange(1, 5), help="Set how much it matters, 3 by default."
)
@click.option("--expires", type=TimeParam(), help="Set the time when it expires.")
@click.option("--append", is_flag=True, help="Append to the existing content.")
@json_option
@remote
async def write(
    client: Client,
    key: str,
    content: str,
    agent: str,
    subject: str,
    conversation: str,
    tags: tuple[str, ...],
    author: str,
    request_id: str,
    expected: int | None,
    kind: str,
    importance: int | None,
    expires: datetime | None,
    append: bool,
    as_json: bool,
) -> None:
    """Write CONTENT as the note KEY, and replace an existing one. An empty KEY creates a new note."""
    new = note_pb2.NewNote(
        key=key,
        scope=_scope(agent, subject, conversation),
        content=content,
        kind=kind,
        tags=tags,
        importance=importance or 0,
        author=author,
        expire_time=to_timestamp(expires),
    )
    response = await client.note_service.WriteNote(
        pb.WriteNoteRequest(
            note=new, append=append, expected_version=expected, request_id=request_id
        )
    )
    if append and response.version == 1:
        others = [each for each in await list_notes(client) if each.name != key]
        note(f"the note {key!r} is new.{did_you_mean(key, others)}")
    if as_json:
        print_json(response)
    else:
        line(f"{key or response.note_id}: version {response.version}")


@notes.command()
@click.argument("key")
@scope_options
@json_option
@remote
async def get(
    client: Client, key: str, agent: str, subject: str, conversation: str, as_json: bool
) -> None:
    """Show the note KEY."""
    request = pb.GetNoteRequest(key=_key(key, agent, subject, conversation))
    response = await client.note_service.GetNote(request)
    if as_json:
        print_json(response)
    else:
        line(response.note.body.content)


@notes.command("list")
@click.option("--agent", "agents", multiple=True, help="Include only this agent.")
@click.option("--subject", "subjects", multiple=True, help="Include only items about this user.")
@click.option("--kind", "kinds", multiple=True, help="Include only this kind, such as daily_log.")
@click.option("--tag", "tags", multiple=True, help="Include only items with this tag.")
@click.option("--prefix", default="", help="Include only keys with this prefix.")
@click.option(
    "--importance", type=click.IntRange(1, 5), help="Include only this importance or higher."
)
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def list_(
    client: Client,
    agents: tuple[str, ...],
    subjects: tuple[str, ...],
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    prefix: str,
    importance: int | None,
    limit: int,
    as_json: bool,
) -> None:
    """List notes, newest first."""
    requested = pb.NoteFilter(
        agents=agents,
        subjects=subjects,
        kinds=kinds,
        tags=tags,
        key_prefix=prefix,
        min_importance=importance or 0,
    )
    request = pb.ListNotesRequest(filter=requested, page_size=limit)
    found = await list_all(client.note_service.ListNotes, request, limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            shorten(note.body.key, 40) or note.id,
            note.body.kind,
            shorten(note.body.content, 100),
            note.body.importance,
            note.version,
            note.log_date or when(note.update_time),
        )
        for note in found.notes
    ]
    print_table(("note", "kind", "content", "importance", "version", "written"), rows)


@notes.command()
@click.argument("key")
@scope_options
@json_option
@remote
async def history(
    client: Client, key: str, agent: str, subject: str, conversation: str, as_json: bool
) -> None:
    """Show the versions of the note KEY, latest first, even if it is deleted."""
    request = pb.GetNoteHistoryRequest(key=_key(key, agent, subject, conversation))
    response = await list_all(client.note_service.GetNoteHistory, request)
    if as_json:
        print_json(response)
        return
    rows = [
        (
            each.version,
            when(each.write_time),
            each.author,
            "(deleted)" if each.deleted else shorten(each.content, 120),
        )
        for each in response.versions
    ]
    print_table(("version", "written", "author", "content"), rows)


@notes.command()
@click.argument("key")
@scope_options
@author_option
@request_option
@version_option
@json_option
@remote
async def delete(
    client: Client,
    key: str,
    agent: str,
    subject: str,
    conversation: str,
    author: str,
    request_id: str,
    expected: int | None,
    as_json: bool,
) -> None:
    """Delete the note KEY; its history is kept."""
    request = pb.DeleteNoteRequest(
        key=_key(key, agent, subject, conversation),
        expected_version=expected,
        author=author,
        request_id=request_id,
    )
    response = await client.note_service.DeleteNote(request)
    if as_json:
        print_json(response)
    else:
        line(f"{key}: deleted")


@notes.command()
@click.argument("content")
@scope_options
@tags_option
@author_option
@request_option
@json_option
@remote
async def log(
    client: Client,
    content: str,
    agent: str,
    subject: str,
    conversation: str,
    tags: tuple[str, ...],
    author: str,
    request_id: str,
    as_json: bool,
) -> None:
    """Append CONTENT to the daily log."""
    request = pb.AppendDailyLogRequest(
        content=content,
        scope=_scope(agent, subject, conversation),
        author=author,
        tags=tags,
        request_id=request_id,
    )
    response = await client.note_service.AppendDailyLog(request)
    if as_json:
        print_json(response)
    else:
        line(f"{response.log_date}: {shorten(content, 100)}")


def _scope(agent: str, subject: str, conversation: str) -> note_pb2.NoteScope:
    return note_pb2.NoteScope(agent=agent, subject=subject, conversation_id=conversation)


def _key(key: str, agent: str, subject: str, conversation: str) -> note_pb2.NoteKey:
    return note_pb2.NoteKey(key=key, scope=_scope(agent, subject, conversation))
