"""Tool calls that exceed a model's context: their parts are described, and then the call from these descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import ceil

from everword.chat.blocking import BlockingChat
from everword.chat.errors import InputTooLong
from everword_compactor.compose.llm.split_drafts import split_text
from everword_compactor.outcomes.sentence import Call
from everword_compactor.tool_sentences.prompt import MAX_TOKENS, tool_sentence_request

#: A call of at most this many bytes fits every model: a token has at least one.
_SURE_BYTES = 4_000
#: Tokens of a chat template and of complaints.
_MARGIN_TOKENS = 400
#: Parts are filled so far, since tokens are not spread evenly.
_FILL = 0.85
#: Factor for the room after an input was refused that seemed short enough.
_SHRUNK = 0.7
_MAX_REFUSALS = 3
#: Arguments up to this share of the room are shown with each part of a result.
_BESIDE = 0.25


def condense(
    call: Call, chat: BlockingChat, heartbeat: Callable[[], None], write: Callable[[Call], str]
) -> str:
    """Return `write(call)`; where a call is too long, of one in which the sentences of its parts stand.

    The model is shown all of it; nothing is cut off. Raises what `write` raises, and InputTooLong.
    """
    size = sum(len(text.encode()) for text in (call.name, call.args, call.result))
    if size <= _SURE_BYTES:
        return write(call)
    available = chat.context_tokens(heartbeat) - MAX_TOKENS - _MARGIN_TOKENS
    for _ in range(_MAX_REFUSALS):
        try:
            return write(_Reader(available, chat, heartbeat, write).fitting(call))
        except InputTooLong:
            # The server counts otherwise than was thought.
            available = int(_SHRUNK * available)
    raise InputTooLong("The model rejects inputs shorter than the context that its server reports.")


@dataclass(frozen=True)
class _Reader:
    """Reads a call in parts of at most `room` tokens."""

    room: int
    chat: BlockingChat
    heartbeat: Callable[[], None]
    write: Callable[[Call], str]

    def fitting(self, call: Call) -> Call:
        """Return the call, or one in which the sentences of its parts stand. Raises InputTooLong."""
        free = self.room - self._request_tokens(replace(call, args="", result=""))
        if free <= 0:
            raise InputTooLong("The model's context is too small for sentences.")
        while self._request_tokens(call) > self.room:
            shorter = self._shorter(call, free)
            if len(shorter.args) + len(shorter.result) >= len(call.args) + len(call.result):
                raise InputTooLong("A tool call exceeds the model's context.")
            call = shorter
        return call

    def _shorter(self, call: Call, free: int) -> Call:
        """Return a call with sentences in place of its arguments, where these are long, or of its result."""
        tokens = self._tokens(call.args)
        if tokens > _BESIDE * free:
            parts = split_text(call.args, self._groups(tokens, free))
            return replace(
                call, args=self._calls_text(replace(call, args=part, result="") for part in parts)
            )
        parts = split_text(call.result, self._groups(self._tokens(call.result), free - tokens))
        return replace(call, result=self._calls_text(replace(call, result=part) for part in parts))

    def _calls_text(self, parts: Iterable[Call]) -> str:
        # A part that is still too long is read in parts as well.
        return "\n".join(self.write(self.fitting(part)) for part in parts)

    def _groups(self, tokens: int, free: int) -> int:
        return max(2, ceil(tokens / (_FILL * free)))

    def _request_tokens(self, call: Call) -> int:
        request = tool_sentence_request(call)
        return self._tokens(f"{request.system}\n{request.user}")

    def _tokens(self, text: str) -> int:
        return self.chat.count_tokens(text, self.heartbeat) if text else 0
