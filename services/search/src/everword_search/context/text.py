"""The text format of items in a context, and their cost in tokens.

    2026-04-18
    [1] Marta: The cutover is on Thursday.
    [2] summary: They agreed on the plan.
      Its second line.
    [3; residence until 2026-05-02] Marta: I live in Berlin.

The brackets, which stored text cannot imitate, give the end of outdated facts, `untrusted` for text from open channels,
and `suspicious` for untrusted text that addresses models. Every line of the format begins with a date, a number or a
heading; stored text never starts a line, since its further lines are indented. Items without a time precede the first
date. In JSON, each item is one line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from functools import cached_property
from uuid import UUID

from everword.domain.memory_kinds import MemoryKind, kind_label
from everword.domain.records import MemoryRecord, MessageRecord, message_text
from everword.domain.times import local_time
from everword.domain.trust import TrustPolicy
from everword.text.credentials import mask_credentials, mask_passage
from everword.text.instructions import contains_model_instructions
from everword.text.structure import collapse_runs, has_json
from everword.text.tokens.counter import TokenCounter
from everword_search.context.item import NOTHING, ContextItem, ItemContext
from everword_search.context.memory_topics import document_label
from everword_search.context.model import BlockSource, ContextCandidate, ContextFormat
from everword_search.context.summary_lines import without_conversations
from everword_search.endings.model import CurrentFact, Ending, ending_remarks
from everword_search.retrieval.full_text import FullText
from everword_search.summaries.store import TopSummaryRow

#: Trust labels in the brackets of an item.
UNTRUSTED, SUSPICIOUS = "untrusted", "suspicious"


def judge(trust: TrustPolicy, about: MemoryRecord | None, words: str) -> tuple[str, bool]:
    """Return the trust label of a text, and whether the trust policy leaves it out.

    The label is empty for trusted text, and for unsuspicious output of tools, which the speaker already identifies.
    """
    if about is None or not about.untrusted:
        return "", False
    if contains_model_instructions(words):
        return SUSPICIOUS, trust.leaves_out(about.channel)
    return (UNTRUSTED if trust.is_open(about.channel) else ""), False


HEADINGS = {
    BlockSource.BASE: "## Base",
    BlockSource.IDENTITY: "## About the user",
    BlockSource.LIFE: "## People and events",
    BlockSource.QUESTIONS: "## Worth asking, where it fits",
    BlockSource.LOREBOOK: "## Lorebook",
    BlockSource.DOCUMENTS: "## Documents",
    BlockSource.MEMORIES: "## Relevant memories",
    BlockSource.CHAT_HISTORY: "## Chat history",
    BlockSource.GRAPH: "## Relations",
}
_ROLES = {1: "system", 2: "user", 3: "assistant", 4: "tool"}
#: Precedes each further line of stored text.
_INDENT = "  "
#: A number with as many digits as any item's.
_WIDEST = 999
_BETWEEN = 2  # Upper bound of the tokens of the empty line between two blocks.
#: Characters of a part of a document at first.
EXCERPT_CHARS = 800
#: Some readers treat these as line ends, and JSON does not escape them.
_JSON_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


@dataclass(frozen=True)
class Layout:
    """The format of a context: text or JSON, time zone, masking of credentials, and tokenizer."""

    counter: TokenCounter
    format: ContextFormat
    zone: tzinfo
    masks: bool
    trust: TrustPolicy = field(default_factory=TrustPolicy)

    @property
    def separator(self) -> str:
        """The text between two blocks."""
        return "\n" if self.is_json else "\n\n"

    @property
    def is_json(self) -> bool:
        return self.format is ContextFormat.JSON_LINES

    @cached_property
    def day_tokens(self) -> int:
        """Tokens of the date line above the items of a day."""
        return 0 if self.is_json else self.counter.count("2000-01-01\n")

    def heading_tokens(self, source: BlockSource) -> int:
        return 0 if self.is_json else self.counter.count(f"{HEADINGS[source]}\n") + _BETWEEN

    def line(self, item: ContextItem, number: int) -> str:
        """Return an item as it appears in the context."""
        alongside = ItemContext(relevance=item.relevance, endings=item.endings, trust=item.trust)
        return self._line(number, item.occurred_at, item.speaker, item.words, alongside)

    def block(self, source: BlockSource, items: list[ContextItem], first: int) -> str:
        """Return items in order as one text, numbered from `first`."""
        parts, day = [] if self.is_json else [HEADINGS[source]], ""
        for number, item in enumerate(items, first):
            if item.day not in ("", day) and not self.is_json:
                day = item.day
                parts.append(day)
            parts.append(self.line(item, number))
        return "\n".join(parts)

    def shown(self, item: ContextItem, max_chars: int) -> ContextItem:
        """Return an item with at most about `max_chars` characters of its full text."""
        assert item.full is not None
        words = item.full.shown(max_chars)
        is_shortened = not item.full.is_whole or len(item.full.text) > max_chars
        if item.about and item.about.kind == MemoryKind.SUMMARY:
            words = without_conversations(words)
        trust, is_withheld = judge(self.trust, item.about, words)
        given = item.about.token_count if item.about and words == item.about.content else 0
        return self._counted(
            replace(
                item,
                words=words,
                substance="",
                trust=trust,
                is_withheld=is_withheld,
                is_shortened=is_shortened,
            ),
            given,
        )

    def _counted(self, item: ContextItem, given: int = 0) -> ContextItem:
        """Return an item with its token count; `given` is the caller's count of its words, or 0."""
        counted = replace(item, words="") if given else item
        tokens = given + self.counter.count(f"{self.line(counted, _WIDEST)}\n")
        if given:
            tokens += len(_INDENT) * item.words.count("\n")
        return replace(item, tokens=tokens, is_supplied=given > 0)

    def turn(
        self,
        message: MessageRecord,
        about: MemoryRecord | None = None,
        endings: Sequence[Ending] = (),
    ) -> ContextItem:
        """Return a turn verbatim, except for long runs of characters, and for credentials if these are masked."""
        call = (message.tool_name, message.tool_args)
        words = message_text(message.content, message.content_blocks, *call, tool_result="")
        # The whole tool result; the index has only the beginning of a long one.
        words = "\n".join(part for part in (words, message.tool_result) if part)
        shown = collapse_runs(mask_credentials(words) if self.masks else words)
        # The caller's token count is valid only for the text as it was sent.
        given = message.token_count if shown == words else 0
        speaker = message.author or _ROLES.get(message.role, "")
        place = message.id, message.occurred_at, message.seq
        # The output of a tool may be shortened; a person's words are shown whole or not at all.
        full = FullText(shown, of_tool=True) if message.tool_name or has_json(shown) else None
        alongside = ItemContext(endings=endings, full=full)
        return self._item(*place, speaker, shown, given, alongside, about)

    def holding(self, holding: CurrentFact) -> ContextItem | None:
        """Return a current value as one line; None if the filter excludes the fact's memory."""
        if holding.fact_memory_id is None:
            return None
        shown = mask_credentials(holding.text) if self.masks else holding.text
        return self._item(
            holding.fact_memory_id, holding.since, 0, kind_label(MemoryKind.FACT), shown, 0
        )

    def summary(
        self, node: TopSummaryRow, about: MemoryRecord, endings: Sequence[Ending] = ()
    ) -> ContextItem:
        """Return a summary in full, at the time of its latest message."""
        text = without_conversations(node.content)
        text = mask_credentials(text) if self.masks else text
        place = node.id, node.latest_at, node.last_seq
        return self._item(
            *place, kind_label(MemoryKind.SUMMARY), text, 0, ItemContext(endings=endings), about
        )

    def memory(
        self,
        memory: MemoryRecord,
        passage: str,
        item_context: ItemContext,
        *,
        masks: bool,
    ) -> ContextItem:
        """Return a memory as its best passage, between ellipses if it has more text; see ContextItem.full.

        For a tool call without content, the passage is its sentence.
        """
        full = item_context.full
        if full is not None and masks:
            full = full.masked()
        if full is not None:
            words = full.shown(len(full.passage))
        else:
            words = mask_passage(passage, memory.content) if masks else passage
            if passage not in (memory.content, memory.synthesized_content):
                words = f"… {words.strip()} …"
        # The caller's token count is for the whole text as it was sent.
        given = memory.token_count if words == memory.content else 0
        words = without_conversations(words) if memory.kind == MemoryKind.SUMMARY else words
        speaker = memory.author or _ROLES.get(memory.role) or kind_label(memory.kind)
        if memory.document_id:
            speaker = document_label(memory, masks=masks)
        place = memory.id, memory.occurred_at, memory.seq or 0
        item = self._item(*place, speaker, words, given, replace(item_context, full=full), memory)
        is_whole = full is None or (full.is_whole and full.passage == full.text)
        return item if is_whole else replace(item, is_shortened=True)

    def reworded(self, item: ContextItem, words: str) -> ContextItem:
        """Return the item with `words` as its text, and its token count updated; it does not grow any more."""
        return self._counted(replace(item, words=words, full=None))

    def candidate(self, found: ContextCandidate) -> ContextItem:
        """Return a block's candidate as an item."""
        full = found.full.masked() if found.full and self.masks else found.full
        if full is not None:
            # A part of a document begins as an excerpt; other texts are whole unless they do not fit.
            words = full.shown(EXCERPT_CHARS if full.passage else len(full.text))
        else:
            words = collapse_runs(mask_credentials(found.words) if self.masks else found.words)
        label = mask_credentials(found.label) if self.masks else found.label
        substance = f"{label}: {words}"
        words += f" ({found.remark})" if found.remark else ""
        item = self._item(
            found.memory_id,
            found.occurred_at,
            found.place,
            label,
            words,
            0,
            ItemContext(
                found.score, found.relevance, source_messages=found.source_messages, full=full
            ),
            found.about,
        )
        return replace(
            item,
            substance=substance,
            strategy_id=found.strategy_id,
            lift=found.lift,
            is_shortened=full is not None and (not full.is_whole or words != full.text),
        )

    def _item(
        self,
        id_: UUID | None,
        occurred_at: datetime | None,
        seq: int,
        speaker: str,
        words: str,
        given: int,
        item_context: ItemContext = NOTHING,
        about: MemoryRecord | None = None,
    ) -> ContextItem:
        moment = local_time(occurred_at, self.zone) if occurred_at else None
        trust, is_withheld = judge(self.trust, about, words)
        item = ContextItem(
            id_,
            moment,
            seq,
            " ".join(speaker.split()),
            words,
            0,
            score=item_context.score,
            relevance=item_context.relevance,
            confidence=item_context.confidence,
            about=about,
            endings=item_context.endings,
            source_messages=item_context.source_messages,
            trust=trust,
            is_withheld=is_withheld,
            full=item_context.full,
        )
        return self._counted(item, given)

    def _line(
        self,
        number: int,
        moment: datetime | None,
        speaker: str,
        words: str,
        item_context: ItemContext,
    ) -> str:
        marks = [
            (each.attribute, each.how, local_time(each.ended_at, self.zone).date().isoformat())
            for each in ending_remarks(item_context.endings)
        ]
        if self.is_json:
            fields: dict[str, object] = {
                "number": number,
                "time": moment.isoformat() if moment else None,
                "author": speaker,
                "text": words,
            }
            if marks:
                fields["superseded"] = [
                    {"attribute": attribute, how: day} for attribute, how, day in marks
                ]
            if item_context.trust:
                fields["trust"] = item_context.trust
            if item_context.relevance is not None:
                fields["relevance"] = round(item_context.relevance, 2)
            return json.dumps(fields, ensure_ascii=False).translate(_JSON_ENDS)
        # `splitlines` splits at everything that a reader may treat as a line end.
        indented = f"\n{_INDENT}".join(words.splitlines() or [""])
        told = f"; {item_context.trust}" if item_context.trust else ""
        told += "".join(f"; {' '.join(mark)}" for mark in marks)
        return f"[{number}{told}] {speaker}: {indented}"
