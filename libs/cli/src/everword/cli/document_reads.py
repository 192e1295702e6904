"""The commands of `everword documents` that read."""

from __future__ import annotations

import click

from everword.cli.document_scopes import scope_options, to_key
from everword.cli.output import json_option, print_json, print_table, shorten, size, verbatim, when
from everword.cli.session import remote
from everword.client import Client
from everword.client.pages import list_all
from everword.v1 import document_service_pb2 as pb

#: Characters of a text that are read at once.
_CHARS = 500_000


@click.command("list")
@click.option("--agent", "agents", multiple=True, help="Include only this agent.")
@click.option("--subject", "subjects", multiple=True, help="Include only items about this user.")
@click.option(
    "--conversation", "conversations", multiple=True, help="Include only this conversation."
)
@click.option("--tag", "tags", multiple=True, help="Include only items with this tag.")
@click.option("--prefix", default="", help="Include only titles with this prefix.")
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
    """List documents, newest first."""
    wanted = pb.DocumentFilter(
        agents=agents,
        subjects=subjects,
        conversation_ids=conversations,
        tags=tags,
        title_prefix=prefix,
    )
    request = pb.ListDocumentsRequest(filter=wanted, page_size=limit)
    found = await list_all(client.document_service.ListDocuments, request, limit)
    if as_json:
        print_json(found)
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
        for each in found.documents
    ]
    columns = ("document", "type", "size", "chunks", "version", "written")
    print_table(columns, rows, right="size chunks version")


@click.command()
@click.argument("title")
@click.option(
    "--heading",
    "headings",
    multiple=True,
    help="Show only the section under this heading; repeat for nested headings.",
)
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
    """Show the whole document TITLE."""
    request = pb.ReadDocumentRequest(
        key=to_key(title, agent, subject, conversation), headings=headings, max_chars=_CHARS
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


@click.command()
@click.argument("title")
@scope_options
@json_option
@remote
async def history(
    client: Client, title: str, agent: str, subject: str, conversation: str, as_json: bool
) -> None:
    """Show the versions of the document TITLE, latest first, even if it is deleted."""
    request = pb.GetDocumentHistoryRequest(key=to_key(title, agent, subject, conversation))
    response = await list_all(client.document_service.GetDocumentHistory, request)
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
