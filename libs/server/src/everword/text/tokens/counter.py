"""Counts tokens: by the packaged vocabulary o200k, or by a `tokenizer.json` that an operator names.

`o200k.xz` has the tokens of OpenAI's o200k_base in the order of their ranks, each after a byte with its length; its
licence is in the same folder.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

import tiktoken

#: Units that are merged: words with a leading character, up to three digits, signs, ends of lines, blanks. The pattern
#: is o200k_base's own.
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_ENDING = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_PATTERN = "|".join(
    (
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_ENDING}",
        rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_ENDING}",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)
#: Size of the cache of counts, and length of cached texts: memories are shown again and again.
_KEPT, _STORED_CHARS = 16_384, 2048


class TokenizerError(Exception):
    """A tokenizer's file cannot be read."""


@dataclass(frozen=True)
class TokenCounter:
    """Counts the tokens of texts."""

    count: Callable[[str], int]
    #: True if the count of several lines is the sum of the lines' counts, each with its end.
    adds_up: bool


@cache
def packaged_counter() -> TokenCounter:
    """Return a counter for tokens of o200k. The first call takes half a second."""
    packed = lzma.decompress(files(__package__).joinpath("o200k.xz").read_bytes())
    ranks, place = dict[bytes, int](), 0
    while place < len(packed):
        after = place + 1 + packed[place]
        ranks[packed[place + 1 : after]] = len(ranks)
        place = after
    encoding = tiktoken.Encoding(
        "o200k", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={}
    )
    # The encoding has a copy of its own, and refers to this one (20 MB) only to describe itself.
    ranks.clear()
    return TokenCounter(
        _cache_counts(lambda text: len(encoding.encode_ordinary(text))), adds_up=True
    )


def read_counter(path: Path) -> TokenCounter:
    """Return a counter for a file in the format of Hugging Face's `tokenizer.json`. Raises TokenizerError."""
    # Of no use to those who name no file.
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    # The library raises nothing narrower.
    except Exception as error:
        raise TokenizerError(f"{path} is not a valid tokenizer.json: {error}") from error
    # An embedding model's file says to cut and to fill up.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    count = _cache_counts(lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids))
    return TokenCounter(count, adds_up=False)


def _cache_counts(count: Callable[[str], int]) -> Callable[[str], int]:
    retained = lru_cache(maxsize=_KEPT)(count)
    return lambda text: retained(text) if len(text) <= _STORED_CHARS else count(text)
