"""Cuts a message into sentences of tokens, without tables and headings.

Pasted text has already been removed (`everword.text.attribution`); a mark replaces each quotation.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from everword_compactor.learning.extract.lexicon import WORDS
from everword_compactor.learning.extract.model import Token, TokenizedSentence

#: Number of characters that are read: claims are near the beginning, and longer messages are mostly pasted.
MAX_CHARS = 4_000
_OPENERS = "([{*_~`'\""
_CLOSERS = ".,;:!?)]}*_~`'\"-"
_ENDS = ".!?…"
_CLITICS = ("n't", "'m", "'re", "'ve", "'s", "'ll", "'d")
#: Words without their apostrophe: its position, and the clitic after it.
_BARE = {
    "im": (1, "'m"),
    "ive": (1, "'ve"),
    "dont": (2, "n't"),
    "cant": (2, "n't"),
    "wont": (2, "n't"),
    "didnt": (3, "n't"),
    "doesnt": (4, "n't"),
    "isnt": (2, "n't"),
    "wasnt": (3, "n't"),
    "thats": (4, "'s"),
}
#: Spelled in one way, so that patterns need one.
_RESPELLED = {
    "favorite": "favourite",
    "fav": "favourite",
    "fave": "favourite",
    "u": "you",
    "w/": "with",
}
_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "–": ",", "—": ",", "«": '"', "»": '"'}
)
#: Besides "I", which many write with a capital who write none elsewhere.
_CAPITAL = regex.compile(r"(?!\bI\b)\p{Lu}")
#: Placeholder for a quotation.
QUOTED = '"'


def tokenize_sentences(text: str) -> Iterator[TokenizedSentence]:
    """Yield the sentences of a message that the one who sent it says."""
    text = text[:MAX_CHARS]
    is_small = not _CAPITAL.search(text)
    for start, line in _prose_lines(text):
        tokens: list[Token] = []
        for token in _unquoted(_tokens(line, start)):
            tokens.append(token)
            if token.low in _ENDS and not _abbreviates(token, tokens):
                yield from _sentence(text, tokens, is_small)
                tokens = []
        yield from _sentence(text, tokens, is_small)


def _abbreviates(token: Token, tokens: list[Token]) -> bool:
    """Return whether a full stop belongs to an abbreviation such as "Dr."."""
    before = tokens[-2] if len(tokens) > 1 else None
    return token.text == "." and before is not None and before.low in WORDS["abbreviations"]


def _sentence(text: str, tokens: list[Token], is_small: bool) -> Iterator[TokenizedSentence]:
    words = [token for token in tokens if token.low not in _ENDS]
    if words:
        quote = text[words[0].start : words[-1].end]
        yield TokenizedSentence(tuple(words), quote, any(t.low == "?" for t in tokens), is_small)


def _prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their places, without tables and headings."""
    start = 0
    for line in text.translate(_PLAIN).splitlines(keepends=True):
        if not line.lstrip().startswith(("|", "#")):
            yield start, line
        start += len(line)


def _unquoted(tokens: Iterator[Token]) -> Iterator[Token]:
    """Yield tokens, one mark in the place of each quotation."""
    quoting = False
    for token in tokens:
        if token.low == '"':
            quoting = not quoting
            if quoting:
                yield token
        elif not quoting:
            yield token


def _tokens(line: str, offset: int) -> Iterator[Token]:
    start = 0
    for word in line.split(" "):
        yield from _split_word(word.rstrip("\r\n\t"), offset + start)
        start += len(word) + 1


def _split_word(word: str, at: int) -> Iterator[Token]:
    begin, end = 0, len(word)
    while begin < end and (word[begin] in _OPENERS + "," or _is_sign(word[begin])):
        begin += 1
    while end > begin and (word[end - 1] in _CLOSERS + "…" or _is_sign(word[end - 1])):
        end -= 1
    yield from (_token(word, at, n, n + 1) for n in range(begin))
    core = word[begin:end]
    low = core.lower()
    if low in _BARE:
        cut, clitic = _BARE[low]
        yield _token(word, at, begin, begin + cut)
        yield Token(core[cut:], clitic, at + begin + cut, at + end)
        begin = end
    clitic = next((c for c in _CLITICS if low.endswith(c) and len(low) > len(c)), "")
    cut = end - len(clitic)
    if "," in core and not any(character.isdigit() for character in core):
        # "Berlin,Germany", and dashes, which are commas here.
        place = begin
        for part in core.split(","):
            if part:
                yield _token(word, at, place, place + len(part))
            place += len(part) + 1
            if place <= end:
                yield _token(word, at, place - 1, place)
    elif begin < end:
        if cut > begin:
            yield _token(word, at, begin, cut)
        if clitic:
            yield _token(word, at, cut, end)
    yield from (_token(word, at, n, n + 1) for n in range(end, len(word)))


def _is_sign(character: str) -> bool:
    """Return whether a character is a symbol, such as a smiley."""
    return character > "\u2190" and not character.isalnum()


def _token(word: str, at: int, begin: int, end: int) -> Token:
    text = word[begin:end]
    # A picture ends a sentence, as a full stop does.
    low = "." if _is_sign(text[0]) and text not in _ENDS else text.lower()
    return Token(text, _RESPELLED.get(low, low), at + begin, at + end)
