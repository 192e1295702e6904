"""Documents that an agent keeps: write, read, append, list, search."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from everword.adapters.tools.limits import MAX_TOKENS, count_fitting, fit_text
from everword.adapters.tools.memory import Limit, PageToken, Query, Start, memory_search
from everword.adapters.tools.model import (
    ADDS,
    READS,
    REPLACES,
    Tool,
    ToolCaller,
    ToolError,
    ToolSet,
)
from everword.adapters.tools.owners import (
    Conversation,
    Subject,
    document_scope,
    find_conversation,
    own_and_shared,
    visible_owners,
)
from everword.adapters.tools.text import indented, when
from everword.client import CallError
from everword.v1 import document_pb2, document_service_pb2

Title = Annotated[
    str, Field(min_length=1, max_length=512, description="The title, by which it is known.")
]
Content = Annotated[str, Field(min_length=1, max_length=1_000_000, description="Markdown.")]
#: Characters read at once, of which the part is shown that fits into a result.
_MAX_CHARS = 50_000


async def vault_write(
    caller: ToolCaller,
    title: Title,
    content: Content,
    subject: Subject = "",
    conversation: Conversation = "",
) -> str:
    """Write a document in Markdown. It replaces the document of this title, whose history keeps the old text."""
    scope = await document_scope(caller, subject, conversation)
    version = await _write(caller, title, scope, content, append=False)
    return f"Written {title!r}, version {version}."


async def vault_append(
    caller: ToolCaller,
    title: Title,
    content: Content,
    subject: Subject = "",
    conversation: Conversation = "",
) -> str:
    """Add to the end of a document, which is created if it does not exist."""
    scope = await document_scope(caller, subject, conversation)
    version = await _write(caller, title, scope, content, append=True)
    return f"Added to {title!r}, version {version}."


async def _write(
    caller: ToolCaller,
    title: str,
    scope: document_pb2.DocumentScope,
    content: str,
    *,
    append: bool,
) -> int:
    """Write a document, and return its version."""
    response = await caller.client.document_service.WriteDocument(
        document_service_pb2.WriteDocumentRequest(
            document=document_pb2.NewDocument(title=title, scope=scope),
            content=content,
            append=append,
        ),
        metadata=caller.metadata,
    )
    caller.wrote(response.consistency_token)
    return response.version


async def vault_read(
    caller: ToolCaller,
    title: Title,
    start: Start = 0,
    subject: Subject = "",
    conversation: Conversation = "",
) -> str:
    """Read a document, a part at a time: that of this user, or else that of all users."""
    scopes = [
        document_pb2.DocumentScope(agent=agent, subject=owner)
        for agent, owner in visible_owners(caller, subject)
    ]
    if conversation:
        scopes.insert(0, await document_scope(caller, subject, conversation))
    for scope in scopes:
        request = document_service_pb2.ReadDocumentRequest(
            key=document_pb2.DocumentKey(title=title, scope=scope),
            start_char=start,
            max_chars=_MAX_CHARS,
        )
        try:
            read = await caller.client.document_service.ReadDocument(
                request, metadata=caller.metadata
            )
        except CallError as error:
            if error.reason != "DOCUMENT_NOT_FOUND":
                raise
        else:
            part, rest = fit_text(read.content)
            following = start + rest if rest else read.next_start_char
            more = [f"There is more: start {following}"] if following else []
            return "\n".join([f"document {title!r}", indented(part), *more])
    raise ToolError(f"There is no document {title!r}. vault_list shows their titles.")


async def vault_list(
    caller: ToolCaller,
    prefix: Annotated[str, Field(max_length=512, description="How the titles begin.")] = "",
    subject: Subject = "",
    conversation: Conversation = "",
    page_token: PageToken = "",
) -> str:
    """List documents by title."""
    wanted = document_service_pb2.DocumentFilter(
        agents=own_and_shared(caller.scope.agent),
        subjects=own_and_shared(subject),
        title_prefix=prefix,
    )
    if conversation:
        wanted.conversation_ids.append(await find_conversation(caller, conversation, subject))
    request = document_service_pb2.ListDocumentsRequest(
        filter=wanted, page_size=100, page_token=page_token
    )
    listed = await caller.client.document_service.ListDocuments(request, metadata=caller.metadata)
    lines = [
        f"{' '.join(each.body.title.split())!r}, version {each.version}, {when(each.update_time)}"
        for each in listed.documents
    ]
    fitting = count_fitting(lines, MAX_TOKENS)
    if fitting < len(lines):
        request.page_size = fitting
        listed = await caller.client.document_service.ListDocuments(
            request, metadata=caller.metadata
        )
    more = [f"There is more: page_token {listed.next_page_token}"] if listed.next_page_token else []
    return "\n".join([*lines[:fitting], *more]) or "There are no documents. vault_write makes one."


async def vault_search(
    caller: ToolCaller,
    query: Query,
    limit: Limit = 10,
    subject: Subject = "",
    conversation: Conversation = "",
    page_token: PageToken = "",
) -> str:
    """Search the parts of documents, best first."""
    return await memory_search(
        caller,
        query,
        limit,
        kinds=("chunk",),
        subject=subject,
        conversation=conversation,
        page_token=page_token,
    )


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
