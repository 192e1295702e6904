"""State that the MCP server keeps for each caller."""

from __future__ import annotations

from unittest.mock import Mock

from everword.admission.keys import KnownKeys
from everword_web.mcp.callers import Callers


def test_callers_that_only_read_do_not_evict_tokens_of_writers() -> None:
    """Many unknown keys do not evict the freshness of a caller that has written."""
    callers = Callers(Mock(), KnownKeys())
    ana = {"authorization": "Bearer ana"}
    # Two first writes at once: the greater token is the later one.
    early, late = callers.of(ana), callers.of(ana)
    late.wrote("b")
    early.wrote("a")
    assert callers.of(ana).token == "b"
    for number in range(10_001):
        assert callers.of({"authorization": f"Bearer guess-{number}"}).token == ""
    assert callers.of(ana).token == "b"
