"""Repetitions between the items of one context: sentences of summaries, and turns that echo their neighbours. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from uuid import UUID

from everword_search.context.budget import MUCH, ContextDraft
from everword_search.context.item import ContextItem
from everword_search.context.model import BlockSource
from everword_search.context.repetition import WordsInContext, adds_nothing, contains_words
from everword_search.context.summary_lines import without_repeated_text

_SOURCES = (BlockSource.MEMORIES, BlockSource.EARLIER_CONVERSATIONS)


def remove_repeated_sentences(draft: ContextDraft, complete: AbstractSet[UUID]) -> bool:
    """Remove sentences of summaries that shown messages contain; return whether there were any.

    A summary enters without the sentences that precede it in the context; here it loses those of messages added after
    it, and is removed if too little of it would remain. The summaries `complete` are unchanged, and so are those of the
    chat history, which replace older turns.
    """
    items = [item for block in draft.blocks.values() for item in block.items]
    texts = [item.words for item in items if not item.is_summary]
    shown = WordsInContext("")
    for text in texts:
        shown.add(text)
    has_removed = False
    for block in (draft.blocks[source] for source in _SOURCES):
        for item in [each for each in block.items if each.is_summary]:
            words = without_repeated_text(
                item.words, lambda said: shown.repeats(said) or contains_words(texts, said)
            )
            if item.memory_id in complete or words == item.words:
                continue
            has_removed = True
            if len(words) < MUCH * len(item.words):
                block.remove(item)
            else:
                block.replace(item, draft.layout.reworded(item, words))
    return has_removed


def echoes_neighbour(item: ContextItem, shown: Iterable[ContextItem]) -> bool:
    """Return whether an item is a turn next to a shown one and says nothing new, such as `Noted, pier nine.`"""
    about = item.about
    if about is None or about.seq is None:
        return False
    return any(
        each.about is not None
        and each.about.conversation_id == about.conversation_id
        and each.about.seq is not None
        and abs(each.about.seq - about.seq) == 1
        and adds_nothing(item.words, each.words)
        for each in shown
    )
