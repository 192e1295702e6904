"""Longer and shorter forms of an item that has a full text. Pure."""

from __future__ import annotations

from everword_search.context.item import ContextItem
from everword_search.context.text import Layout

#: Minimum tokens of a shortened item.
LEAST_TOKENS = 24
#: Attempts to find the number of characters that fit.
_TRIES = 4


def grow(
    layout: Layout, item: ContextItem, most_tokens: int, max_chars: int | None = None
) -> ContextItem:
    """Return an item with as much of its full text as fits; the item itself if no more fits."""
    if item.full is None:
        return item
    whole = len(item.full.text)
    chars = whole if max_chars is None else min(max_chars, whole)
    chars = min(chars, _estimated_chars(item, most_tokens) + len(item.words) // 4)
    for _ in range(_TRIES):
        if chars <= len(item.words) and chars < whole:
            break
        grown = layout.shown(item, chars)
        if grown.tokens <= most_tokens:
            is_longer = len(grown.words) > len(item.words) or not grown.is_shortened
            return grown if is_longer and not grown.is_withheld else item
        chars = _fewer(chars, grown, most_tokens)
    return item


def shorten(layout: Layout, item: ContextItem, most_tokens: int) -> ContextItem | None:
    """Return a part of an item that fits; None if it has no shorter form."""
    if item.full is None or most_tokens < LEAST_TOKENS:
        return None
    chars = _estimated_chars(item, most_tokens)
    for _ in range(_TRIES):
        shorter = layout.shown(item, chars)
        if shorter.tokens <= most_tokens:
            return shorter if shorter.words.strip(" …") and not shorter.is_withheld else None
        chars = _fewer(chars, shorter, most_tokens)
    return None


def _estimated_chars(item: ContextItem, tokens: int) -> int:
    return tokens * len(item.words) // max(1, item.tokens)


def _fewer(chars: int, item: ContextItem, most_tokens: int) -> int:
    """Return fewer characters than `chars`, with which the item probably fits."""
    return min(chars - 1, chars * most_tokens * 9 // (item.tokens * 10))
