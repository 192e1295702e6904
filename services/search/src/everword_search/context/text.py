"""The form of items in a context, and their cost in tokens.

    2026-04-18
    [1] Marta: The cutover is on Thursday.
    [2] summary: They agreed on the plan.
      Its second line.

A line of this form begins with a date, a number or a heading. What was stored opens none: its further lines are
indented. As JSON, each item is a line.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from functools import cached_property
from uuid import UUID

from everword.domain.records import MemoryRecord, MessageRecord, message_text
from everword.text.credentials import mask_credentials, mask_passage
from everword.text.tokens.counter import TokenCounter
from everword_search.context.model import BlockSource, ContextFormat
from everword_search.retrieval.confidence import Confidence
from everword_search.summaries.store import TopSummaryRow

HEADINGS = {
    BlockSource.MEMORIES: "## Relevant memories",
    BlockSource.CHAT_HISTORY: "## Chat history",
}
_ROLES = {1: "system", 2: "user", 3: "assistant", 4: "tool"}
#: By `MemoryKind`, where nobody spoke.
_KINDS = {2: "summary", 3: "note", 4: "fact", 5: "document"}
#: Before each further line of what was stored.
_INDENT = "  "
#: As many digits as any item's.
_WIDEST = 999
#: What the empty line between two blocks may cost.
_BETWEEN = 2
#: Some readers take these for ends of lines too, and JSON leaves them as they are.
_JSON_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


@dataclass(frozen=True)
class Item:
    """One memory or turn as it stands in a context."""

    memory_id: UUID
    #: In the namespace's time zone.
    occurred_at: datetime
    #: In its conversation; 0 outside of any.
    seq: int
    speaker: str
    words: str
    #: Of the whole line, with the widest number and its end.
    tokens: int
    #: Whether the caller said what the words cost.
    is_given: bool = False
    score: float = 0.0
    #: None where it cannot be told.
    relevance: float | None = None
    confidence: Confidence = Confidence.UNSPECIFIED
    #: What it is of; its words are those above.
    about: MemoryRecord | None = None

    @property
    def day(self) -> str:
        return self.occurred_at.date().isoformat()


@dataclass(frozen=True)
class Layout:
    """The form of a context: text or JSON, in a time zone, with or without credentials, counted by a tokenizer."""

    counter: TokenCounter
    format: ContextFormat
    zone: tzinfo
    masks: bool

    @property
    def separator(self) -> str:
        """What stands between two blocks."""
        return "\n" if self.is_json else "\n\n"

    @property
    def is_json(self) -> bool:
        return self.format is ContextFormat.JSON_LINES

    @cached_property
    def day_tokens(self) -> int:
        """The cost of the line above the items of a day."""
        return 0 if self.is_json else self.counter.count("2000-01-01\n")

    def heading_tokens(self, source: BlockSource) -> int:
        return 0 if self.is_json else self.counter.count(f"{HEADINGS[source]}\n") + _BETWEEN

    def line(self, item: Item, number: int) -> str:
        """Return an item as it stands in the context."""
        return self._line(number, item.occurred_at, item.speaker, item.words, item.relevance)

    def block(self, source: BlockSource, items: list[Item], first: int) -> str:
        """Return items in their order as one text, numbered from `first`."""
        parts, day = [] if self.is_json else [HEADINGS[source]], ""
        for number, item in enumerate(items, first):
            if item.day != day and not self.is_json:
                day = item.day
                parts.append(day)
            parts.append(self.line(item, number))
        return "\n".join(parts)

    def turn(self, message: MessageRecord) -> Item:
        """Return a turn, word for word but for its credentials where these are masked."""
        call = (message.tool_name, message.tool_args)
        words = message_text(message.content, message.content_blocks, *call, tool_result="")
        # Whole, where the index has only the beginning of a long result.
        words = "\n".join(part for part in (words, message.tool_result) if part)
        shown = mask_credentials(words) if self.masks else words
        # What the caller counted is what was sent.
        given = message.token_count if shown == words else 0
        speaker = message.author or _ROLES.get(message.role, "")
        return self._item(message.id, message.occurred_at, message.seq, speaker, shown, given)

    def summary(self, node: TopSummaryRow) -> Item:
        """Return a summary whole, at the time of the last that it is of."""
        shown = mask_credentials(node.content) if self.masks else node.content
        return self._item(node.id, node.latest_at, node.last_seq, _KINDS[2], shown, 0)

    def memory(
        self,
        memory: MemoryRecord,
        passage: str,
        given_tokens: int = 0,
        score: float = 0.0,
        relevance: float | None = None,
        *,
        masks: bool,
    ) -> Item:
        """Return a memory whole, or its best passage between ellipses where it has several; a tool call's sentence.

        `given_tokens` is what the caller said the whole costs; 0 where nothing was said.
        """
        shown = mask_passage(passage, memory.content) if masks else passage
        given = 0
        if passage == memory.content:
            given = given_tokens if shown == passage else 0
        elif passage != memory.synthesized_content:
            shown = f"… {shown.strip()} …"
        speaker = memory.author or _ROLES.get(memory.role) or _KINDS.get(memory.kind, "")
        item = self._item(
            memory.id, memory.occurred_at, memory.seq or 0, speaker, shown, given, score, relevance
        )
        return replace(item, about=memory)

    def _item(
        self,
        id_: UUID,
        occurred_at: datetime,
        seq: int,
        speaker: str,
        words: str,
        given_tokens: int,
        score: float = 0.0,
        relevance: float | None = None,
    ) -> Item:
        moment, speaker = self._local(occurred_at), " ".join(speaker.split())
        line = self._line(_WIDEST, moment, speaker, "" if given_tokens else words, relevance)
        tokens = given_tokens + self.counter.count(f"{line}\n")
        if given_tokens:
            tokens += len(_INDENT) * words.count("\n")
        return Item(id_, moment, seq, speaker, words, tokens, given_tokens > 0, score, relevance)

    def _line(
        self,
        number: int,
        moment: datetime,
        speaker: str,
        words: str,
        relevance: float | None = None,
    ) -> str:
        if self.is_json:
            fields = {
                "number": number,
                "time": moment.isoformat(),
                "author": speaker,
                "text": words,
            }
            if relevance is not None:
                fields["relevance"] = round(relevance, 2)
            return json.dumps(fields, ensure_ascii=False).translate(_JSON_ENDS)
        # All that any reader may take for the end of a line.
        indented = f"\n{_INDENT}".join(words.splitlines() or [""])
        return f"[{number}] {speaker}: {indented}"

    def _local(self, moment: datetime) -> datetime:
        try:
            return moment.astimezone(self.zone)
        except OverflowError:
            # On the last day of the calendar it is tomorrow elsewhere.
            return moment
