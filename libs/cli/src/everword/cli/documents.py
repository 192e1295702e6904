"""`everword documents`: what is uploaded and written, and what it was."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from everword.cli.notes import author_option, request_option, tags_option, version_option
from everword.cli.output import (
    json_option,
    line,
    print_json,
    print_table,
    shorten,
    size,
    verbatim,
    when,
)
from everword.cli.session import remote
from everword.client import Client
from everword.uploading import seed as seed_folder
from everword.uploading import upload as upload_file
from everword.v1 import document_pb2
from everword.v1 import document_service_pb2 as pb

#: Characters of a text that are read at once.
_CHARS = 500_000


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add what says whose a document is."""
    for name, help_ in (
        ("--conversation", "The id of the conversation that it belongs to."),
        ("--subject", "The user whom it is about."),
        ("--agent", "The agent whose document it is."),
    ):
        command = click.option(name, default="", help=help_)(command)
    return command


def to_scope(agent: str, subject: str, conversation: str) -> document_pb2.DocumentScope:
    return document_pb2.DocumentScope(agent=agent, subject=subject, conversation_id=conversation)


def read_content(content: str) -> str:
    """Return what is to be written: from standard input where it is `-`."""
    return sys.stdin.read() if content == "-" else content


@click.group()
def documents() -> None:
    """Upload, write, read and delete documents."""


@documents.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--title", default="", help="The title; the file's name without its end, if unset.")
@scope_options
@tags_option
@author_option
@request_option
@version_option
@json_option
@remote
async def upload(
    client: Client,
    file: Path,
    title: str,
    agent: str,
    subject: str,
    conversation: str,
    tags: tuple[str, ...],
    author: str,
    request_id: str,
    expected: int | None,
    as_json: bool,
) -> None:
    """Upload FILE: Markdown, text, HTML, PDF, docx, xlsx, pptx or CSV. What its title held is replaced."""
    document = document_pb2.NewDocument(
        title=title or file.stem,
        scope=to_scope(agent, subject, conversation),
        tags=tags,
        author=author,
    )
    response = await upload_file(client, file, document, expected=expected, request_id=request_id)
    _print_written(response, document.title, as_json)


@documents.command()
@click.argument("title")
@click.argument("content")
@scope_options
@tags_option
@author_option
@request_option
@version_option
@json_option
@remote
async def write(
    client: Client,
    title: str,
    content: str,
    agent: str,
    subject: str,
    conversation: str,
    tags: tuple[str, ...],
    author: str,
    request_id: str,
    expected: int | None,
    as_json: bool,
) -> None:
    """Write CONTENT, or standard input where it is -, under TITLE: what is there is replaced."""
    document = document_pb2.NewDocument(
        title=title, scope=to_scope(agent, subject, conversation), tags=tags, author=author
    )
    response = await client.document_service.WriteDocument(
        pb.WriteDocumentRequest(
            document=document,
            content=read_content(content),
            expected_version=expected,
            request_id=request_id,
        )
    )
    _print_written(response, title, as_json)


@documents.command()
@click.argument("title")
@click.argument("content")
@scope_options
@tags_option
@author_option
@request_option
@json_option
@remote
async def append(
    client: Client,
    title: str,
    content: str,
    agent: str,
    subject: str,
    conversation: str,
    tags: tuple[str, ...],
    author: str,
    request_id: str,
    as_json: bool,
) -> None:
    """Add CONTENT, or standard input where it is -, to the end of TITLE."""
    document = document_pb2.NewDocument(
        title=title, scope=to_scope(agent, subject, conversation), tags=tags, author=author
    )
    response = await client.document_service.AppendDocument(
        pb.AppendDocumentRequest(
            document=document, content=read_content(content), request_id=request_id
        )
    )
    _print_written(response, title, as_json)


@documents.command("list")
@click.option("--agent", "agents", multiple=True, help="Only of this agent.")
@click.option("--subject", "subjects", multiple=True, help="Only about this user.")
@click.option("--conversation", "conversations", multiple=True, help="Only of this one.")
@click.option("--tag", "tags", multiple=True, help="Only with one of these labels.")
@click.option("--prefix", default="", help="Only titles that begin so.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True)
@json_option
@remote
async def list_(
    client: Client,
    agents: tuple[str, ...],
    subjects: tuple[str, ...],
    conversations: tuple[str, ...],
    tags: tuple[str, ...],
    prefix: str,
    limit: int,
    as_json: bool,
) -> None:
    """List documents, the latest made first."""
    wanted = pb.DocumentFilter(
        agents=agents,
        subjects=subjects,
        conversation_ids=conversations,
        tags=tags,
        title_prefix=prefix,
    )
    request = pb.ListDocumentsRequest(filter=wanted, page_size=limit)
    found: list[document_pb2.Document] = []
    while len(found) < limit:
        page = await client.document_service.ListDocuments(request)
        found += page.documents
        request.page_token = page.next_page_token
        if not page.next_page_token:
            break
    found = found[:limit]
    if as_json:
        print_json(pb.ListDocumentsResponse(documents=found))
        return
    rows = [
        (
            shorten(each.body.title, 60),
            each.source.media_type or "text",
            size(each.source.file_bytes or each.content_chars),
            each.chunk_count,
            each.version,
            when(each.update_time),
        )
        for each in found
    ]
    columns = ("document", "type", "size", "chunks", "version", "written")
    print_table(columns, rows, right="size chunks version")


@documents.command()
@click.argument("title")
@click.option("--heading", "headings", multiple=True, help="Only what stands under it; may nest.")
@scope_options
@json_option
@remote
async def show(
    client: Client,
    title: str,
    headings: tuple[str, ...],
    agent: str,
    subject: str,
    conversation: str,
    as_json: bool,
) -> None:
    """Show the document TITLE, whole."""
    request = pb.ReadDocumentRequest(
        key=_key(title, agent, subject, conversation), headings=headings, max_chars=_CHARS
    )
    whole = await client.document_service.ReadDocument(request)
    while whole.next_start_char:
        request.start_char = whole.next_start_char
        part = await client.document_service.ReadDocument(request)
        whole.content += part.content
        whole.next_start_char = part.next_start_char
    if as_json:
        print_json(whole)
    else:
        verbatim(whole.content)


@documents.command()
@click.argument("title")
@scope_options
@json_option
@remote
async def history(
    client: Client, title: str, agent: str, subject: str, conversation: str, as_json: bool
) -> None:
    """Show what the document TITLE was, the latest version first; also of one that was deleted."""
    request = pb.GetDocumentHistoryRequest(key=_key(title, agent, subject, conversation))
    response = pb.GetDocumentHistoryResponse()
    while True:
        page = await client.document_service.GetDocumentHistory(request)
        response.document_id = page.document_id
        response.versions.extend(page.versions)
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
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


@documents.command()
@click.argument("title")
@scope_options
@author_option
@request_option
@version_option
@json_option
@remote
async def delete(
    client: Client,
    title: str,
    agent: str,
    subject: str,
    conversation: str,
    author: str,
    request_id: str,
    expected: int | None,
    as_json: bool,
) -> None:
    """Delete the document TITLE: nothing finds it any more, and its history keeps what it said."""
    request = pb.DeleteDocumentRequest(
        key=_key(title, agent, subject, conversation),
        expected_version=expected,
        author=author,
        request_id=request_id,
    )
    response = await client.document_service.DeleteDocument(request)
    if as_json:
        print_json(response)
    else:
        line(f"{title}: deleted")


@documents.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@scope_options
@remote
async def seed(client: Client, folder: Path, agent: str, subject: str, conversation: str) -> None:
    """Lay out the files of FOLDER as documents, each under its name, where the title never was.

    It may be run at every start: what is there, or was deleted, stays as it is.
    """
    seeded = await seed_folder(client, folder, to_scope(agent, subject, conversation))
    rows = [
        (
            shorten(each.title, 80),
            f"{each.response.chunk_count} chunks" if each.response else "kept",
        )
        for each in seeded
    ]
    print_table(("document", "what became of it"), rows)


def _print_written(
    response: pb.UploadDocumentResponse | pb.WriteDocumentResponse | pb.AppendDocumentResponse,
    title: str,
    as_json: bool,
) -> None:
    if as_json:
        print_json(response)
    else:
        line(f"{title}: version {response.version}, {response.chunk_count} chunks")


def _key(title: str, agent: str, subject: str, conversation: str) -> document_pb2.DocumentKey:
    return document_pb2.DocumentKey(title=title, scope=to_scope(agent, subject, conversation))
