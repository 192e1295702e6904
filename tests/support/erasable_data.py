"""Memories that callers write about a conversation and a subject, each with a token that is to be erased."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf.struct_pb2 import Struct

from everword.domain.ids import new_id
from everword.v1 import cost_service_pb2 as costs
from everword.v1 import document_pb2, note_pb2
from everword.v1 import ingest_service_pb2 as checkpoints
from everword.v1 import lore_service_pb2 as lore
from everword.v1 import note_service_pb2 as handoffs
from support.calls import append_request, message
from support.calls import target as conversation
from support.costs import spent
from support.document_calls import upload, write_file
from support.document_calls import write as write_document
from support.lore import entry, write_book, write_entry
from support.notes import log, write
from support.stack import Stack


@dataclass(frozen=True)
class ErasableData:
    """Ids of the written memories. All with an author have the same one."""

    token: str
    subject: str
    author: str
    #: The session key contains the token.
    conversation_id: str
    message_id: str
    #: Documents of the conversation, in two versions, and of the subject.
    document_ids: list[str]
    file_id: str
    book_ids: list[str]
    checkpoint_id: str
    #: A note, an entry of the daily log and a handoff.
    note_ids: list[str]


async def write_everything(stack: Stack, token: str) -> ErasableData:
    """Write one memory of each kind, with request ids that contain the token."""
    subject, author = f"whose{token[2:6]}", f"Eva {token}"
    said = append_request(message(f"The {token} sleeps.", author=author), "Good night.")
    said.conversation.CopyFrom(conversation(f"key-{token}", subject=subject, agent="kit"))
    kept = await stack.ingest.AppendMessages(said)
    whose, where = kept.conversation_id, {"conversation_id": kept.conversation_id}
    scope = document_pb2.DocumentScope(**where)
    about = document_pb2.DocumentScope(subject=subject)
    fields: dict[str, Any] = {"author": author, "tags": [token]}
    text = f"# The {token}\n\nIt sings.\n\n## Where\n\nIn the {token} barn."
    first = await write_document(
        stack, text, f"Doc {token}", scope=scope, request_id=f"doc {subject}", **fields
    )
    await write_document(stack, f"{text} Still.", f"Doc {token}", scope=scope, **fields)
    file = f"{token}.md"
    other = await upload(stack, text.encode(), f"Other {subject}", file, scope=about, **fields)
    workspace = await write_file(stack, "MEMORY", text, scope=scope, author=author)
    books = [
        await write_book(stack, f"Book {token}", **where),
        await write_book(stack, "His", subject=subject),
    ]
    for book_id in books:
        lemon = entry(f"Of {token}", f"The {token} is shy.", token)
        await write_entry(stack, book_id, lemon, request_id=f"lore {book_id}")
    state = Struct()
    state.update({"about": token})
    saved = await stack.ingest.SaveCheckpoint(
        checkpoints.SaveCheckpointRequest(
            conversation_id=whose,
            name=f"of {token}",
            state=token.encode(),
            metadata=state,
            request_id=f"checkpoint {subject}",
        )
    )
    in_it = note_pb2.NoteScope(**where)
    noted = await write(stack, f"A note on {token}.", f"k-{token}", scope=in_it, author=author)
    logged = await log(stack, f"Fed the {token}.", scope=in_it, author=author)
    handed = await stack.notes.WriteHandoff(
        handoffs.WriteHandoffRequest(
            key=handoffs.HandoffKey(repo="a/b", issue=subject),
            content=f"Ask about {token}.",
            author=author,
        )
    )
    await stack.costs.RecordUsage(
        costs.RecordUsageRequest(
            usages=[
                spent(read=7, conversation_id=whose, run_id=subject),
                spent(read=5, session_key=f"key-{token}", agent="kit"),
            ],
            request_id=str(new_id()),
        )
    )
    return ErasableData(
        token,
        subject,
        author,
        whose,
        kept.messages[0].message_id,
        [first.document_id, other.document_id],
        workspace.file_id,
        books,
        saved.checkpoint_id,
        [noted.note_id, logged.note_id, handed.note_id],
    )


async def delete_authorless_data(stack: Stack, written: ErasableData) -> None:
    """Delete lorebooks and checkpoints with their own RPCs, which keep nothing of them."""
    for book_id in written.book_ids:
        await stack.lore.DeleteLoreBook(lore.DeleteLoreBookRequest(book_id=book_id))
    request = checkpoints.DeleteCheckpointsRequest(checkpoint_id=written.checkpoint_id)
    await stack.ingest.DeleteCheckpoints(request)
