"""The text format of items in a context, and their cost in tokens.

    18 Apr 2026
    [1]82% Marta: The cutover is on Thursday.
    [2 day 2026-04-18]64% They agreed on the plan.
      Its second line.
    2 May · Move to Lisbon
    [3; residence until 2026-05-02]41% Marta: I live in Berlin.
    [4 note; untrusted] Bob: The landlord is Mr Vance.
    [5; uncertain]3% Marta: The boiler was serviced.

The line above the items of a day has the date, and the name of their conversation if it is another one than the
context's; `same` if the line before names it. The brackets, which stored text cannot imitate, have the number, the kind
of a memory that is no message, the end of outdated facts, `untrusted` for text from open channels, `suspicious` for
untrusted text that addresses models, and `uncertain` for results of a search that found nothing relevant. The relevance
of a memory that the query found follows them directly. Every line of the format begins with a date, a number or a
heading; stored text never starts a line, since its further lines are indented. Items without a time precede the first
date. In JSON, each item is one line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from uuid import UUID

from everword.domain.memory_kinds import MemoryKind, kind_label
from everword.domain.records import MemoryRecord, MessageRecord
from everword.domain.times import local_time
from everword.domain.trust import TrustPolicy
from everword.text.credentials import mask_credentials, mask_passage
from everword.text.instructions import contains_model_instructions
from everword.text.structure import collapse_runs, has_json, shorten_structure
from everword.text.tokens.counter import TokenCounter
from everword_search.context.item import NOTHING, ContextItem, ItemContext
from everword_search.context.memory_topics import document_label
from everword_search.context.model import (
    MAX_BUDGET,
    BlockSource,
    ContextCandidate,
    ContextFormat,
)
from everword_search.context.provenance import (
    ContextPart,
    date_phrase,
    kind_fields,
    kind_phrase,
)
from everword_search.context.summary_lines import without_conversations
from everword_search.endings.model import CurrentFact, Ending, ending_remarks
from everword_search.retrieval.full_text import FullText
from everword_search.summaries.store import TopSummaryRow

#: Trust labels in the brackets of an item.
UNTRUSTED, SUSPICIOUS = "untrusted", "suspicious"
_UNCERTAIN = "uncertain"


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
    BlockSource.EARLIER_CONVERSATIONS: "## Earlier conversations",
    BlockSource.CHAT_HISTORY: "## Chat history",
    BlockSource.GRAPH: "## Relations",
}
_ROLES = {1: "system", 2: "user", 3: "assistant", 4: "tool"}
#: Precedes each further line of stored text.
_INDENT = "  "
#: A number with as many digits as any item's.
_WIDEST = 999
_BETWEEN = 2  # Upper bound of the tokens of the empty line between two blocks.
#: Characters of a token, at most, in texts without long runs; most have four.
_MOST_CHARS_A_TOKEN = 8
#: Characters of a part of a document at first.
EXCERPT_CHARS = 800
#: Some readers treat these as line ends, and JSON does not escape them.
_JSON_ENDS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


@dataclass(frozen=True)
class Layout:
    """The format of a context: text or JSON, parts of its lines, time zone, masking of credentials, and tokenizer."""

    counter: TokenCounter
    format: ContextFormat
    zone: tzinfo
    masks: bool
    trust: TrustPolicy = field(default_factory=TrustPolicy)
    omit_parts: frozenset[ContextPart] = frozenset()
    #: The conversation that the context continues; items of other conversations name theirs.
    conversation_id: UUID | None = None
    _header_tokens: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def separator(self) -> str:
        """The text between two blocks."""
        return "\n" if self.is_json else "\n\n"

    @property
    def is_json(self) -> bool:
        return self.format is ContextFormat.JSON_LINES

    def header(self, item: ContextItem, after: ContextItem | None) -> str:
        """Return the line between two items: the date and the conversation of `item`, if `after` has others."""
        if self.is_json or item.occurred_at is None or ContextPart.DATE in self.omit_parts:
            return ""
        previous = after.occurred_at if after else None
        is_same = bool(previous and after and after.conversation == item.conversation)
        if previous and is_same and previous.date() == item.occurred_at.date():
            return ""
        day = date_phrase(item.occurred_at, previous)
        conversation = "same" if is_same else item.conversation
        return f"{day} · {conversation}" if item.conversation else day

    def header_tokens(self, item: ContextItem, after: ContextItem | None) -> int:
        header = self.header(item, after)
        if header not in self._header_tokens:
            self._header_tokens[header] = self.counter.count(f"{header}\n") if header else 0
        return self._header_tokens[header]

    def heading_tokens(self, source: BlockSource) -> int:
        return 0 if self.is_json else self.counter.count(f"{HEADINGS[source]}\n") + _BETWEEN

    def line(self, item: ContextItem, number: int) -> str:
        """Return an item as it appears in the context."""
        ends = [
            (each.attribute, each.how, local_time(each.ended_at, self.zone).date().isoformat())
            for each in ending_remarks(item.endings)
        ]
        if self.is_json:
            return self._json_line(item, number, ends)
        marks = [str(number)]
        if item.kind and ContextPart.KIND not in self.omit_parts:
            marks.append(item.kind)
        # Outside of the brackets it takes a token less.
        relevance = f"{item.relevance:.0%}" if self._shows_relevance(item) else ""
        trust = f"; {item.trust}" if item.trust else ""
        trust += f"; {_UNCERTAIN}" if item.is_uncertain else ""
        ended = "".join(f"; {' '.join(each)}" for each in ends)
        speaker = f"{item.speaker}: " if item.speaker and self._shows_speaker(item) else ""
        # `splitlines` splits at everything that a reader may treat as a line end.
        indented = f"\n{_INDENT}".join(item.words.splitlines() or [""])
        return f"[{' '.join(marks)}{trust}{ended}]{relevance} {speaker}{indented}"

    def block(self, source: BlockSource, items: list[ContextItem], first: int) -> str:
        """Return items in order as one text, numbered from `first`."""
        parts = [] if self.is_json else [HEADINGS[source]]
        after = None
        for number, item in enumerate(items, first):
            if header := self.header(item, after):
                parts.append(header)
            parts.append(self.line(item, number))
            after = item
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

    def turn(
        self,
        message: MessageRecord,
        about: MemoryRecord | None = None,
        endings: Sequence[Ending] = (),
        most_tokens: int = MAX_BUDGET,
    ) -> ContextItem:
        """Return a turn verbatim, except for long runs of characters, and for credentials if these are masked.

        Masking and counting a text takes half a second a megabyte, so a turn that cannot fit into `most_tokens` is the
        beginning of its text, with more than these tokens.
        """
        original = words = message.whole_text
        most_chars = _MOST_CHARS_A_TOKEN * most_tokens
        speaker = message.author or _ROLES.get(message.role, "")
        place = message.id, message.occurred_at, message.seq
        # The output of a tool may be shortened; a person's words are shown whole or not at all.
        may_shorten = bool(message.tool_name) or has_json(words)
        if may_shorten:
            words = shorten_structure(words, most_chars)
        elif len(words) > most_chars and len(collapsed := collapse_runs(words)) > most_chars:
            beginning = mask_credentials(collapsed[:EXCERPT_CHARS])
            item = self._item(*place, speaker, beginning, 0, ItemContext(endings=endings), about)
            return replace(item, tokens=len(collapsed) // _MOST_CHARS_A_TOKEN)
        shown = collapse_runs(mask_credentials(words) if self.masks else words)
        # The caller's token count is valid only for the text as it was sent.
        given = message.token_count if shown == original else 0
        full = FullText(shown, of_tool=True) if may_shorten else None
        alongside = ItemContext(endings=endings, full=full)
        return self._item(*place, speaker, shown, given, alongside, about)

    def holding(self, holding: CurrentFact) -> ContextItem | None:
        """Return a current value as one line; None if the filter excludes its memory."""
        if holding.fact_memory_id is None:
            return None
        shown = mask_credentials(holding.text) if self.masks else holding.text
        kind = kind_label(MemoryKind.FACT) if holding.fact_id else ""
        return self._item(holding.fact_memory_id, holding.since, 0, "", shown, 0, kind=kind)

    def summary(
        self, node: TopSummaryRow, about: MemoryRecord, endings: Sequence[Ending] = ()
    ) -> ContextItem:
        """Return a summary in full, at the time of its latest message."""
        text = without_conversations(node.content)
        text = mask_credentials(text) if self.masks else text
        place = node.id, node.latest_at, node.last_seq
        kind = kind_phrase(MemoryKind.SUMMARY, node.level, None)
        return self._item(*place, "", text, 0, ItemContext(endings=endings), about, kind)

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
        speaker = memory.author or _ROLES.get(memory.role, "")
        if memory.document_id:
            speaker = document_label(memory, masks=masks)
        place = memory.id, memory.occurred_at, memory.seq or 0
        kind = kind_phrase(memory.kind, memory.summary_level, memory.period)
        context = replace(item_context, full=full)
        item = self._item(*place, speaker, words, given, context, memory, kind)
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
        kind: str = "",
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
            kind=kind,
            conversation=self._other_conversation(about),
            is_uncertain=item_context.is_uncertain,
        )
        return self._counted(item, given)

    def _counted(self, item: ContextItem, given: int = 0) -> ContextItem:
        """Return an item with its token count; `given` is the caller's count of its words, or 0."""
        counted = replace(item, words="") if given else item
        tokens = given + self.counter.count(f"{self.line(counted, _WIDEST)}\n")
        if given:
            tokens += len(_INDENT) * item.words.count("\n")
        return replace(item, tokens=tokens, is_supplied=given > 0)

    def _other_conversation(self, about: MemoryRecord | None) -> str:
        """Return the name of a memory's conversation; empty if the context continues it, or continues none."""
        if about is None or ContextPart.CONVERSATION in self.omit_parts:
            return ""
        if self.conversation_id is None or about.conversation_id in (None, self.conversation_id):
            return ""
        label = about.conversation_label
        return mask_credentials(label) if self.masks else label

    def _json_line(
        self, item: ContextItem, number: int, ends: Sequence[tuple[str, str, str]]
    ) -> str:
        fields: dict[str, object] = {"number": number}
        if ContextPart.DATE not in self.omit_parts:
            fields["time"] = item.occurred_at.isoformat() if item.occurred_at else None
        if item.conversation:
            fields["conversation"] = item.conversation
        if ContextPart.KIND not in self.omit_parts:
            fields |= kind_fields(item.about) if item.about else {}
        if self._shows_speaker(item):
            fields["author"] = item.speaker
        fields["text"] = item.words
        if ends:
            fields["superseded"] = [
                {"attribute": attribute, how: day} for attribute, how, day in ends
            ]
        if item.trust:
            fields["trust"] = item.trust
        if item.is_uncertain:
            fields[_UNCERTAIN] = True
        if item.relevance is not None and self._shows_relevance(item):
            fields["relevance"] = round(item.relevance, 2)
        return json.dumps(fields, ensure_ascii=False).translate(_JSON_ENDS)

    def _shows_relevance(self, item: ContextItem) -> bool:
        return item.relevance is not None and ContextPart.RELEVANCE not in self.omit_parts

    def _shows_speaker(self, item: ContextItem) -> bool:
        """Return whether the line has its speaker; labels, such as the path of a document, always remain."""
        if ContextPart.SPEAKER not in self.omit_parts:
            return True
        return item.about is None or item.about.document_id is not None
