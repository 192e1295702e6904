"""Documents that an agent keeps: write, read, append, list, search."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from everword.adapters.tools.memory import Limit, Query, memory_search
from everword.adapters.tools.model import ADDS, READS, REPLACES, Tool, ToolCaller, ToolSet
from everword.adapters.tools.text import indented, when
from everword.v1 import document_pb2, document_service_pb2

Title = Annotated[
    str, Field(min_length=1, max_length=512, description="The title, by which it is known.")
]
Content = Annotated[str, Field(min_length=1, max_length=1_000_000, description="Markdown.")]
_MAX_CHARS = 20_000


async def vault_write(caller: ToolCaller, title: Title, content: Content) -> str:
    """Write a document in Markdown. It replaces the document of this title, whose history keeps the old text."""
    response = await caller.client.document_service.WriteDocument(
        document_service_pb2.WriteDocumentRequest(
            document=document_pb2.NewDocument(title=title), content=content
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Written {title!r}, version {response.version}."


async def vault_append(caller: ToolCaller, title: Title, content: Content) -> str:
    """Add to the end of a document, which is created if it does not exist."""
    response = await caller.client.document_service.WriteDocument(
        document_service_pb2.WriteDocumentRequest(
            document=document_pb2.NewDocument(title=title), content=content, append=True
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return f"Added to {title!r}, version {response.version}."


async def vault_read(
    caller: ToolCaller,
    title: Title,
    start: Annotated[int, Field(ge=0, description="The character to begin at.")] = 0,
) -> str:
    """Read a document, 20,000 characters at a time."""
    read = await caller.client.document_service.ReadDocument(
        document_service_pb2.ReadDocumentRequest(
            key=document_pb2.DocumentKey(title=title), start_char=start, max_chars=_MAX_CHARS
        ),
        metadata=caller.metadata,
    )
    rest = [f"There is more: start {read.next_start_char}"] if read.next_start_char else []
    return "\n".join([f"document {title!r}", indented(read.content), *rest])


async def vault_list(
    caller: ToolCaller,
    prefix: Annotated[str, Field(max_length=512, description="How the titles begin.")] = "",
) -> str:
    """List documents by title."""
    listed = await caller.client.document_service.ListDocuments(
        document_service_pb2.ListDocumentsRequest(
            filter=document_service_pb2.DocumentFilter(title_prefix=prefix), page_size=100
        ),
        metadata=caller.metadata,
    )
    lines = [
        f"{' '.join(each.body.title.split())!r}, version {each.version}, {when(each.update_time)}"
        for each in listed.documents
    ]
    if listed.next_page_token:
        lines.append("There are more: give a prefix.")
    return "\n".join(lines) or "There are no documents. vault_write makes one."


async def vault_search(caller: ToolCaller, query: Query, limit: Limit = 10) -> str:
    """Search the parts of documents, best first."""
    return await memory_search(caller, query, limit, kinds=("chunk",))


DOCUMENTS = ToolSet(
    (
        Tool(vault_write, "Write a document", REPLACES),
        Tool(vault_append, "Add to a document", ADDS),
        Tool(vault_read, "Read a document", READS),
        Tool(vault_list, "List documents", READS),
        Tool(vault_search, "Search documents", READS),
    ),
    "Keep in documents what is long and is read again as a whole; single things worth knowing belong into notes.",
)
