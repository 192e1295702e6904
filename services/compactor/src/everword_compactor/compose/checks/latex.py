"""Finds LaTeX, which summaries must not use: readers and search see its letters, not its formulas."""

from __future__ import annotations

import regex

# Dollars alone are money or shell variables; a formula has a command, a power or one letter between them.
_LATEX = regex.compile(
    r"\$\$[^$\n]{1,500}\$\$|\$(?:[^$\n]{0,200}(?:\\[A-Za-z]+|[\^_]\{|\^[0-9A-Za-z])[^$\n]{0,200}|[A-Za-z])\$"
    r"|\\[()\[\]]"
    r"|\\(?:d?frac|sqrt|text(?:bf|it|tt)?|math\w+|cdot|times|leq?|geq?|neq?|approx|sum|int|prod|infty|begin|end"
    r"|left|right|(?:long)?(?:right|left)arrow|Rightarrow|to|in|alpha|beta|gamma|delta|lambda|mu|pi|sigma)(?![A-Za-z])"
)


def find_latex(text: str) -> list[str]:
    """Return the pieces of LaTeX in `text`, in order."""
    return [match[0] for match in _LATEX.finditer(text)]
