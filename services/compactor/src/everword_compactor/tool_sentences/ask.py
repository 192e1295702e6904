"""Puts one tool call into words: asks a model and checks what it says, or makes a sentence of the call alone."""

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
from everword_compactor.tool_sentences.model import ToolCall, ToolSentence, UnfitSentence
from everword_compactor.tool_sentences.prompt import (
    TEMPLATE,
    TOOL_SENTENCE_VERSION,
    read_sentence,
    tool_sentence_request,
)

log = logging.getLogger(__name__)


class SentenceAbandoned(Exception):
    """Nobody waits for the sentence any more."""


class Writer(Protocol):
    """Puts tool calls into words. Threads may share it."""

    def write(self, call: ToolCall, ended: Event) -> ToolSentence:
        """Return a sentence. Raises ChatError and UnfitSentence, and SentenceAbandoned soon after `ended` is set."""


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
    """Asks a model, and once more with what is wrong where its sentence does not pass the checks.

    Of a call that is longer than what the model reads, each part is put into words, and then what these say.
    """

    def __init__(self, chat: BlockingChat) -> None:
        self._chat = chat

    def write(self, call: ToolCall, ended: Event) -> ToolSentence:
        def heartbeat() -> None:
            if ended.is_set():
                raise SentenceAbandoned

        whole = call.call
        heartbeat()
        sentence = condense(
            whole, self._chat, heartbeat, lambda shown: self._checked(shown, whole, heartbeat)
        )
        return ToolSentence(with_outcome(sentence, whole), self._chat.model, TOOL_SENTENCE_VERSION)

    def _checked(self, shown: Call, whole: Call, heartbeat: Callable[[], None]) -> str:
        """Return a sentence about what is shown of a call, which passes the checks. Raises UnfitSentence."""
        try:
            sentence, complaints = self._ask(shown, whole, (), heartbeat)
        except BadAnswer as error:
            sentence, complaints = "", [str(error)]
        if complaints:
            sentence, complaints = self._ask(shown, whole, tuple(complaints), heartbeat)
        if complaints:
            # Without what follows a colon: the queue must hold nothing that anybody said.
            faults = dict.fromkeys(complaint.partition(":")[0] for complaint in complaints)
            raise UnfitSentence(f"the sentence is refused: {', '.join(faults)}")
        return sentence

    def _ask(
        self, shown: Call, whole: Call, complaints: tuple[str, ...], heartbeat: Callable[[], None]
    ) -> tuple[str, list[str]]:
        """Return a sentence, and what is wrong with it."""
        heartbeat()
        request = tool_sentence_request(shown, complaints)
        sentence = read_sentence(self._chat.complete(request, heartbeat))
        return sentence, check_sentence(sentence, whole)


def attempt(writer: Writer, call: ToolCall, ended: Event) -> ToolSentence | Exception:
    """Return a sentence, or what is wrong with this call. Raises ChatUnavailable, and what no call is to blame for."""
    try:
        return writer.write(call, ended)
    except (ChatUnavailable, SentenceAbandoned, psycopg.Error):
        raise
    except (ChatError, UnfitSentence) as error:
        return error
    except Exception as error:  # whatever a strange call does, it does to itself alone
        log.exception("tool call not put into words", extra={"message_id": str(call.id)})
        return error


def describe(error: Exception) -> str:
    """Return what operators see of a failure; errors of the code may hold content, so only their names are kept."""
    if isinstance(error, ChatError | UnfitSentence):
        return f"{type(error).__name__}: {error}"
    return type(error).__name__
