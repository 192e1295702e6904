"""`everword erase` and `everword erasures`: delete data for good, and list earlier deletions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

import click
import grpc

from everword.cli.output import json_option, line, note, print_json, print_table, progress, when
from everword.cli.session import remote
from everword.client import CallError, Client
from everword.client.pages import list_all
from everword.v1 import erasure_service_pb2 as pb
from everword.v1.conversation_pb2 import ConversationKey
from everword.v1.document_pb2 import DocumentKey
from everword.v1.document_service_pb2 import GetDocumentRequest
from everword.v1.note_pb2 import NoteKey
from everword.v1.note_service_pb2 import GetNoteRequest

#: Kinds of targets, with the field of the request's target that names each.
KINDS = {
    "message": "message_id",
    "conversation": "conversation_id",
    "subject": "subject",
    "author": "author",
    "note": "note_id",
    "fact": "fact_id",
    "learned": "learned_id",
    "node": "node_id",
    "pattern": "pattern_id",
    "document": "document_id",
    "memory": "memory_id",
}
#: Between two looks at an erasure that goes on.
PAUSE_S = 0.3


@click.command()
@click.argument("kind", type=click.Choice(list(KINDS)))
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Count what would be deleted, and delete nothing.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--by", default="", help="Record who requested the erasure.")
@click.option("--request-id", default="", help="Make the command safe to repeat.")
@json_option
@remote
async def erase(
    client: Client,
    kind: str,
    target: str,
    dry_run: bool,
    yes: bool,
    by: str,
    request_id: str,
    as_json: bool,
) -> None:
    """Erase TARGET with everything derived from it.

    TARGET is an id, or the name of a subject or author. If it belongs to no agent and no subject, it
    may also be the key of a note, the title of a document or the session key of a conversation. The
    kind `memory` takes the id of anything.
    """
    requested = pb.ErasureTarget(**{KINDS[kind]: await _find(client, kind, target)})
    preview = await _preview(client, requested, request_id)
    matched = preview.matched_rows > 0
    if dry_run and as_json:
        print_json(preview)
    elif matched and not as_json:
        _show_preview(preview)
    if not matched and (dry_run or not request_id):
        raise click.ClickException(_unmatched(kind, target, preview))
    if dry_run:
        return
    if not yes:
        click.confirm(
            f"Erase this {kind} and everything derived from it, for good?", abort=True, err=True
        )
    request = pb.EraseRequest(target=requested, requested_by=by, request_id=request_id)
    answer = await client.erasure_service.Erase(request)
    erasure = await _finish(client, answer, dict(preview.row_counts).get("messages", 0))
    if as_json:
        print_json(erasure)
    if not erasure.matched_rows:
        raise click.ClickException(_unmatched(kind, target, preview))
    if not as_json:
        _show_counts(dict(erasure.row_counts))
        line(f"erased: {erasure.id}")


async def _preview(
    client: Client, wanted: pb.ErasureTarget, request_id: str
) -> pb.PreviewErasureResponse:
    """Return the preview; an empty one if an erasure with this request id has already deleted the target."""
    try:
        return await client.erasure_service.PreviewErasure(pb.PreviewErasureRequest(target=wanted))
    except CallError as error:
        if error.code is grpc.StatusCode.NOT_FOUND and request_id:
            return pb.PreviewErasureResponse()
        raise


def _unmatched(kind: str, target: str, preview: pb.PreviewErasureResponse) -> str:
    """Return the error that nothing was erased, with similar names."""
    similar = " or ".join(map(repr, preview.similar_names))
    asked = f" Did you mean {similar}?" if similar else ""
    return f"nothing matches the {kind} {target!r}; nothing was erased.{asked}"


async def _find(client: Client, kind: str, target: str) -> str:
    """Return the id of a note, document or conversation that is named by key, title or session key; other targets
    unchanged.
    """
    if kind not in ("note", "document", "conversation") or _is_id(target):
        return target
    if kind == "note":
        read = GetNoteRequest(key=NoteKey(key=target))
        return (await client.note_service.GetNote(read)).note.id
    if kind == "document":
        get = GetDocumentRequest(key=DocumentKey(title=target))
        return (await client.document_service.GetDocument(get)).document.id
    return (await client.get_conversation(ConversationKey(session_key=target))).id


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True


@click.command()
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@json_option
@remote
async def erasures(client: Client, limit: int, as_json: bool) -> None:
    """List erasures, latest first: kinds, counts and times, without content."""
    request = pb.ListErasuresRequest(page_size=min(limit, 100))
    found = await list_all(client.erasure_service.ListErasures, request, limit)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            each.id,
            _name(pb.ErasureKind, each.kind),
            _name(pb.ErasureState, each.state),
            dict(each.row_counts).get("messages", 0),
            sum(each.row_counts.values()),
            each.requested_by,
            when(each.request_time),
        )
        for each in found.erasures
    ]
    print_table(("erasure", "of", "state", "messages", "rows", "by", "requested"), rows)


async def _finish(client: Client, answer: pb.EraseResponse, messages: int) -> pb.Erasure:
    """Wait until the target, which is already hidden, has been deleted completely; return the finished erasure."""
    erasure = answer.erasure
    if erasure.state == pb.ERASURE_STATE_DONE:
        return erasure
    note(f"hidden; {answer.messages_left} messages are being deleted")
    with progress() as bar:
        task = bar.add_task("deleting", total=max(messages, 1))
        while erasure.state != pb.ERASURE_STATE_DONE:
            await asyncio.sleep(PAUSE_S)
            got = await client.erasure_service.GetErasure(
                pb.GetErasureRequest(erasure_id=erasure.id)
            )
            erasure = got.erasure
            bar.update(task, completed=dict(erasure.row_counts).get("messages", 0))
    return erasure


def _show_preview(preview: pb.PreviewErasureResponse) -> None:
    rows = {
        **dict(preview.row_counts),
        "summaries, to be rewritten or deleted": preview.summaries_withdrawn,
        "facts that go": preview.facts_gone,
        "facts that lose evidence": preview.facts_losing_evidence,
    }
    print_table(("would go", "rows"), [(name, rows[name]) for name in rows if rows[name]])


def _show_counts(counts: dict[str, int]) -> None:
    print_table(("gone", "rows"), sorted(counts.items()))


def _name(enum: Any, value: int) -> str:
    """Return the last words of a name, such as `conversation`."""
    name: Callable[[int], str] = enum.Name
    return name(value).split("_", 2)[2].lower()
