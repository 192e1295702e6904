"""Stored things, as statements of several services return them: a field for each column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from everword.domain.errors import SubjectConflict
from everword.text.instructions import contains_model_instructions


@dataclass(frozen=True)
class ConversationRecord:
    """A row of `conversations`."""

    id: UUID
    session_key: str
    agent: str
    channel: str
    channel_id: str
    bot_identity: str
    instance: str
    subject: str
    client_session_id: str
    task_id: str
    title: str
    settings: dict[str, Any] | None
    active: bool
    last_seq: int
    turn_count: int
    last_message_at: datetime | None
    created_at: datetime
    updated_at: datetime

    @property
    def name(self) -> str:
        return self.title or self.session_key

    def check_subject(self, subject: str) -> None:
        """Raise SubjectConflict if `subject` is not empty and not the conversation's.

        Otherwise what one user says would be stored, and shown, as another user's.
        """
        if subject not in ("", self.subject):
            raise SubjectConflict(session_key=self.session_key, subject=subject)


@dataclass(frozen=True)
class MessageRecord:
    """A row of `messages`."""

    id: UUID
    conversation_id: UUID
    seq: int
    #: Values equal proto `Role`.
    role: int
    author: str
    instance: str
    content: str
    #: Each with `type`, `text` and `json`.
    content_blocks: list[dict[str, str]] | None
    tags: list[str]
    #: Values equal proto `ImportanceClass`.
    importance_class: int
    automated: bool
    tool_name: str
    tool_args: str
    tool_result: str
    metadata: dict[str, Any] | None
    token_count: int
    external_id: str | None
    parent_id: UUID | None
    occurred_at: datetime
    recorded_at: datetime
    #: A sentence about a tool call, for a message without words; empty if there is none.
    synthesized_content: str = ""

    @property
    def whole_text(self) -> str:
        """The readable text with the whole tool result; the index has only the beginning of a long one."""
        call = (self.tool_name, self.tool_args)
        text = message_text(self.content, self.content_blocks, *call, tool_result="")
        return "\n".join(part for part in (text, self.tool_result) if part)


@dataclass(frozen=True)
class MemoryRecord:
    """A memory of any kind, with as much of its text as was asked for."""

    id: UUID
    #: Values equal proto `MemoryKind`.
    kind: int
    content: str
    content_truncated: bool
    conversation_id: UUID | None
    seq: int | None
    agent: str
    subject: str
    channel: str
    instance: str
    author: str
    role: int
    tags: list[str]
    importance_class: int
    automated: bool
    occurred_at: datetime
    use_count: int
    last_used_at: datetime | None
    #: As of the message.
    synthesized_content: str = ""
    external_id: str = ""
    tool_name: str = ""
    #: None if there is none, or if it is omitted for its length.
    metadata: dict[str, Any] | None = None
    metadata_omitted: bool = False
    #: Values equal proto `SummaryLevel`; 0 for other kinds.
    summary_level: int = 0
    #: The first day of a summary's period, along the calendar.
    period: date | None = None
    #: As of the note.
    note_key: str = ""
    note_kind: str = ""
    #: The document of a chunk, and the chunk's position in it.
    document_id: UUID | None = None
    document_title: str = ""
    headings: Sequence[str] = ()
    #: 0 if the document has no pages.
    page: int = 0
    #: True for a chunk of a workspace file.
    of_workspace: bool = False
    #: Tokens of a message in the caller's model; 0 if unknown.
    token_count: int = 0
    #: True if it comes from an untrusted channel, or from a tool.
    untrusted: bool = False
    #: The title of its conversation, or its session key if it has no title; empty without a conversation.
    conversation_name: str = ""

    @property
    def conversation_label(self) -> str:
        return shorten_name(self.conversation_name)

    @cached_property
    def suspicious(self) -> bool:
        """Return whether it is untrusted and addresses models; only the loaded part of its text is examined."""
        return self.is_suspicious_in(self.content) or self.is_suspicious_in(
            self.synthesized_content
        )

    def is_suspicious_in(self, text: str) -> bool:
        """Return whether it is untrusted and the text addresses models."""
        return self.untrusted and contains_model_instructions(text)


@dataclass(frozen=True)
class SummaryRecord:
    """A node of the summary DAG, with as much of its text as was asked for."""

    id: UUID
    #: Values equal proto `SummaryLevel`.
    level: int
    conversation_id: UUID | None
    parent_id: UUID | None
    previous_id: UUID | None
    content: str
    content_truncated: bool
    #: Unique in its namespace; empty along a conversation.
    name: str
    title: str
    subject: str
    instance: str
    #: The first day of its period, along the calendar.
    period: date | None
    message_count: int
    earliest_at: datetime
    latest_at: datetime
    #: Places in the conversation, along a conversation.
    first_seq: int | None
    last_seq: int | None
    token_count: int
    model: str
    prompt_version: int
    revision: int
    stale: bool
    needs_review: bool
    #: The fields of proto `Faithfulness`; None for a significant memory.
    faithfulness: dict[str, Any] | None
    created_at: datetime
    revised_at: datetime


#: Characters shown of a conversation's name, and of a UUID in it.
_NAME_CHARS, _UUID_CHARS = 24, 8
_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.I)


def shorten_name(name: str) -> str:
    """Return the name of a conversation on one line of at most 24 characters, with UUIDs cut to their beginning."""
    flat = " ".join(_UUID.sub(lambda found: found[0][:_UUID_CHARS], name).split())
    return flat if len(flat) <= _NAME_CHARS else f"{flat[: _NAME_CHARS - 1].rstrip()}…"


#: Tool results are searchable up to this many characters; the whole is stored.
INDEXED_TOOL_RESULT_CHARS = 32_768


def message_text(
    content: str,
    content_blocks: list[dict[str, str]] | None,
    tool_name: str,
    tool_args: str,
    tool_result: str,
) -> str:
    """Return the readable text of a message: its content, its blocks, and a tool's arguments and result."""
    parts = [content]
    parts += [block.get("text", "") for block in content_blocks or ()]
    parts += [f"{tool_name} {tool_args}".strip(), tool_result[:INDEXED_TOOL_RESULT_CHARS]]
    return "\n".join(part for part in parts if part)
