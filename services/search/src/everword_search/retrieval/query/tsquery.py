"""Writes tsquery text from lexemes, whatever characters they hold."""

from __future__ import annotations


def quote_lexeme(lexeme: str) -> str:
    escaped = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def prefix_query(prefix: str, stem: str) -> str:
    """Return a query for lexemes that begin with a prefix as it was asked, or as it is stemmed.

    Both are needed: `migrations*` is meant to find the lexeme `migrat`, and `every*` to find `everyon`, where the stem
    of `every` is `everi`.
    """
    return " | ".join(f"{quote_lexeme(text)}:*" for text in dict.fromkeys((prefix, stem)))
