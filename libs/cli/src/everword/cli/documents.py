"""`everword documents`: upload, write and delete documents."""

from __future__ import annotations

from pathlib import Path

import click

from everword.cli.document_reads import history, list_, show
from everword.cli.document_scopes import read_content, scope_options, to_key, to_scope
from everword.cli.notes import author_option, request_option, tags_option, version_option
from everword.cli.output import json_option, line, note, print_json, print_table, shorten
from everword.cli.session import remote
from everword.cli.suggestions import did_you_mean, list_documents
from everword.client import CallError, Client
from everword.uploader import TemplateResult
from everword.uploader import seed as seed_folder
from everword.uploader import upload as upload_file
from everword.v1 import document_pb2
from everword.v1 import document_service_pb2 as pb


@click.group()
def documents() -> None:
    """Upload, write, read and delete documents."""


@documents.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--title", default="", help="Set the title; the file's name without its extension by default."
)
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
    """Upload FILE: Markdown, text, HTML, PDF, docx, xlsx, pptx or CSV. Replaces a document of the same title."""
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
    """Write CONTENT, or standard input if it is -, as the document TITLE, and replace an existing one."""
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
    """Append CONTENT, or standard input if it is -, to the document TITLE."""
    document = document_pb2.NewDocument(
        title=title, scope=to_scope(agent, subject, conversation), tags=tags, author=author
    )
    response = await client.document_service.WriteDocument(
        pb.WriteDocumentRequest(
            document=document, content=read_content(content), append=True, request_id=request_id
        )
    )
    if response.version == 1:
        others = [each for each in await list_documents(client) if each.name != title]
        note(f"the document {title!r} is new.{did_you_mean(title, others)}")
    _print_written(response, title, as_json)


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
    """Delete the document TITLE; its history is kept."""
    request = pb.DeleteDocumentRequest(
        key=to_key(title, agent, subject, conversation),
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
    """Upload the files of FOLDER whose titles never existed, each under its name.

    Safe to run at every start: existing and deleted documents stay as they are.
    """
    seeded = await seed_folder(client, folder, to_scope(agent, subject, conversation))
    rows = [(shorten(each.title, 80), _became(each)) for each in seeded]
    print_table(("document", "what became of it"), rows)
    if failed := sum(each.failure is not None for each in seeded):
        raise click.ClickException(f"{failed} of {len(seeded)} files could not be uploaded")


def _became(seeded: TemplateResult) -> str:
    match seeded.failure:
        case CallError():
            return f"failed: {seeded.failure.message}"
        case OSError():
            return f"failed: {seeded.failure.strerror}"
    return f"{seeded.response.chunk_count} chunks" if seeded.response else "kept"


def _print_written(
    response: pb.UploadDocumentResponse | pb.WriteDocumentResponse,
    title: str,
    as_json: bool,
) -> None:
    if as_json:
        print_json(response)
    else:
        line(f"{title}: version {response.version}, {response.chunk_count} chunks")
    if isinstance(response, pb.UploadDocumentResponse):
        for warning in response.warnings:
            note(f"{title}: {warning}")


for command in (list_, show, history):
    documents.add_command(command)
