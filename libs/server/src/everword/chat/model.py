"""Requests to a chat model, and their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class ChatRequest:
    """One question to a model. Its representation holds no content."""

    task: str
    """The purpose, such as `leaf`: telemetry and the ledger tell tasks apart."""
    system: str = field(repr=False)
    user: str = field(repr=False)
    max_tokens: int
    """Room for the answer, its thinking included."""
    temperature: float = 0.3
    thinking: bool = False
    """The model may think first, where it can be told."""
    schema: Mapping[str, Any] | None = field(default=None, repr=False)
    """JSON schema (draft 2020-12) that the answer must obey; None for free text."""


@dataclass(frozen=True)
class TokenUsage:
    """Tokens of a call, as counted by the server; 0 if unknown."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    """Those of the input that the server had cached."""


@dataclass(frozen=True)
class ChatAnswer:
    """A whole answer. Its representation holds no content."""

    text: str = field(repr=False)
    value: Any = field(repr=False)
    """The answer as JSON that obeys the schema; None where none was given."""
    reasoning: str = field(repr=False)
    """The model's thoughts, where the server sends them."""
    model: str
    """The model that answered, as the server names it."""
    usage: TokenUsage


@dataclass(frozen=True)
class UsageRecord:
    """The cost of one request to a server. A call that is repeated has several."""

    task: str
    model: str
    endpoint: str
    """Host and port alone."""
    input_tokens: int
    output_tokens: int
    outcome: str
    """`ok`, `cancelled`, or the `outcome` of a ChatError."""
    seconds: float
    cached_tokens: int = 0


def ignore(record: UsageRecord) -> None:
    """Keep no record."""
