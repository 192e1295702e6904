"""Describes one tool call in a sentence: asks a model and checks its answer, or makes a sentence of the call alone."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event
from typing import Protocol

import psycopg

from everword.chat.blocking import BlockingChat
from everword.chat.errors import BadAnswer, ChatError, ChatUnavailable
from everword_compactor.outcomes.sentence import Call, describe_call, with_outcome
from everword_compactor.tool_sentences.check import check_sentence
from everword_compactor.tool_sentences.long_calls import condense
from everword_compactor.tool_sentences.model import ToolCall, ToolSentence
from everword_compactor.tool_sentences.prompt import (
    TEMPLATE,
    TOOL_SENTENCE_VERSION,
    read_sentence,
    tool_sentence_request,
)

log = logging.getLogger(__name__)


class SentenceAbandoned(Exception):
    """The batch of the tool call was aborted, so the sentence is no longer needed."""


class _SentenceRejected(Exception):
    """The model's sentence does not pass its checks, and its second does not either."""


class Writer(Protocol):
    """Puts tool calls into words. Threads may share it."""

    def write(self, call: ToolCall, ended: Event) -> ToolSentence:
        """Return a sentence. Raises ChatError, and SentenceAbandoned soon after `ended` is set."""


class TemplateWriter:
    """Writes without a model."""

    def write(self, call: ToolCall, ended: Event) -> ToolSentence:
        text = describe_call(call.call)
        # Arguments in JSON can name characters that no text in the database may hold.
        storable = (
            text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
        )
        return ToolSentence(storable, TEMPLATE, TOOL_SENTENCE_VERSION)


class ModelWriter:
    """Asks a model, and once more with complaints if its sentence fails the checks; then writes without it.

    A call that exceeds the model's context is described in parts, and then from these descriptions.
    """

    def __init__(self, chat: BlockingChat) -> None:
        self._chat = chat

    def write(self, call: ToolCall, ended: Event) -> ToolSentence:
        def heartbeat() -> None:
            if ended.is_set():
                raise SentenceAbandoned

        whole = call.call
        heartbeat()
        try:
            sentence = condense(
                whole, self._chat, heartbeat, lambda shown: self._checked(shown, whole, heartbeat)
            )
        except (BadAnswer, _SentenceRejected) as error:
            log.warning("tool call described without the model", extra={"error": str(error)})
            return TemplateWriter().write(call, ended)
        return ToolSentence(with_outcome(sentence, whole), self._chat.model, TOOL_SENTENCE_VERSION)

    def _checked(self, shown: Call, whole: Call, heartbeat: Callable[[], None]) -> str:
        """Return a sentence about the shown part of a call, which passes the checks. Raises _SentenceRejected."""
        try:
            sentence, complaints = self._ask(shown, whole, (), heartbeat)
        except BadAnswer as error:
            sentence, complaints = "", [str(error)]
        if complaints:
            sentence, complaints = self._ask(shown, whole, tuple(complaints), heartbeat)
        if complaints:
            # Leave out the part after a colon, which may quote content: logs must not.
            faults = dict.fromkeys(complaint.partition(":")[0] for complaint in complaints)
            raise _SentenceRejected(f"the sentence was rejected: {', '.join(faults)}")
        return sentence

    def _ask(
        self, shown: Call, whole: Call, complaints: tuple[str, ...], heartbeat: Callable[[], None]
    ) -> tuple[str, list[str]]:
        """Return a sentence, and its problems."""
        heartbeat()
        request = tool_sentence_request(shown, complaints)
        sentence = read_sentence(self._chat.complete(request, heartbeat))
        return sentence, check_sentence(sentence, whole)


def attempt(writer: Writer, call: ToolCall, ended: Event) -> ToolSentence | Exception:
    """Return a sentence, or the call's own error. Raises ChatUnavailable, and errors that are not the call's fault."""
    try:
        return writer.write(call, ended)
    except (ChatUnavailable, SentenceAbandoned, psycopg.Error):
        raise
    except ChatError as error:
        return error
    except Exception as error:  # a strange call must only affect itself
        log.exception("tool call not described", extra={"message_id": str(call.id)})
        return error


def describe(error: Exception) -> str:
    """Return what operators see of a failure; errors of the code may hold content, so only their names are kept."""
    if isinstance(error, ChatError):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__
