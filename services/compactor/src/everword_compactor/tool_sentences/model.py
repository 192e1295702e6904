"""Tool calls without words, and the sentences about them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from everword.domain.records import message_text
from everword_compactor.outcomes.sentence import Call


@dataclass(frozen=True)
class ClaimedCall:
    """A tool call that this worker is to put into words."""

    message_id: UUID
    #: Which attempt this is; only the latest one's result counts.
    attempts: int


@dataclass(frozen=True)
class ToolCall:
    """A message that calls a tool."""

    id: UUID
    author: str
    occurred_at: datetime
    content: str
    content_blocks: list[dict[str, str]] | None
    tool_name: str
    tool_args: str
    tool_result: str

    @property
    def text(self) -> str:
        """Return the readable text of the message."""
        return message_text(
            self.content, self.content_blocks, self.tool_name, self.tool_args, self.tool_result
        )

    @property
    def call(self) -> Call:
        return Call(self.tool_name, self.tool_args, self.tool_result)

    def masked(self) -> ToolCall:
        """Return the call without credentials, as it is put into words."""
        call = self.call.masked()
        return replace(self, tool_name=call.name, tool_args=call.args, tool_result=call.result)


@dataclass(frozen=True)
class ToolSentence:
    """A tool call in words."""

    content: str
    #: The model's name, or `template`.
    model: str
    prompt_version: int


@dataclass(frozen=True)
class ParkedCall:
    """A tool call whose attempts at a sentence have failed, with the last error; it stays parked until a retry."""

    message_id: UUID
    error: str
