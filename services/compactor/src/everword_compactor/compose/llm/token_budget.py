"""The division of a model's context into input, thinking and answer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from everword.chat.errors import InputTooLong
from everword_compactor.compose.model import BUDGET_TOKENS, Level

#: Tokens of the chat template around system and user message, at most.
_TEMPLATE_TOKENS = 64
_MAX_THINKING_TOKENS = 8_192
#: When parts are joined, two answers and their headers take the place of sources.
_SHARES = 3.5
#: Less than this says nothing.
_LEAST_ANSWER_TOKENS = 64
_CHARS_PER_TOKEN = 3


@dataclass(frozen=True)
class TokenBudget:
    """Tokens for each use, in one request."""

    answer_tokens: int
    thinking_tokens: int
    #: Tokens of the request: instructions and sources.
    input_tokens: int
    #: Tokens of the request without sources.
    fixed_tokens: int
    complaint_chars: int

    @property
    def source_tokens(self) -> int:
        return self.input_tokens - self.fixed_tokens

    @classmethod
    def unknown(cls, level: Level) -> TokenBudget:
        """Return the room that a level would have in an endless context."""
        return cls(BUDGET_TOKENS[level], 0, 0, 0, 0)

    @classmethod
    def of(cls, level: Level, context_tokens: int, *, fixed: int) -> TokenBudget:
        """Share out a context; `fixed` tokens are those of a request without sources.

        Two answers fit where the sources may stand, so that parts can be joined. Raises InputTooLong where
        the context is too small for any answer.
        """
        thinking = min(_MAX_THINKING_TOKENS, context_tokens // 8)
        complaint = context_tokens // 32
        free = context_tokens - fixed - thinking - complaint - _TEMPLATE_TOKENS
        answer = min(BUDGET_TOKENS[level], int(free / _SHARES))
        if answer < _LEAST_ANSWER_TOKENS:
            raise InputTooLong("The model's context is too small for summaries.", context_tokens)
        return cls(
            answer_tokens=answer,
            thinking_tokens=thinking,
            input_tokens=fixed + free - answer,
            fixed_tokens=fixed,
            complaint_chars=complaint * _CHARS_PER_TOKEN,
        )

    def smaller(self, refused: int) -> TokenBudget:
        """Return the room after an input of `refused` tokens was refused."""
        shrunk = self.fixed_tokens + int((refused - self.fixed_tokens) * 0.7)
        return replace(self, input_tokens=min(self.input_tokens, shrunk))
