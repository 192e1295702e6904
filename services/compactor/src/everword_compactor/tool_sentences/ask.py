"""Puts one tool call into words: asks a model and checks what it says, or fills a template."""

from __future__ import annotations

import logging
from threading import Event
from typing import Protocol

import psycopg

from everword.chat.blocking import BlockingChat
from everword.chat.errors import BadAnswer, ChatError, ChatUnavailable
from everword_compactor.tool_sentences.check import check_sentence
from everword_compactor.tool_sentences.model import Sentence, ToolCall, UnfitSentence
from everword_compactor.tool_sentences.prompt import (
    TEMPLATE,
    TOOL_SENTENCE_VERSION,
    read_sentence,
    template_sentence,
    tool_sentence_request,
)

log = logging.getLogger(__name__)


class Abandoned(Exception):
    """Nobody waits for the sentence any more."""


class Writer(Protocol):
    """Puts tool calls into words. Threads may share it."""

    def write(self, call: ToolCall, ended: Event) -> Sentence:
        """Return a sentence. Raises ChatError and UnfitSentence, and Abandoned soon after `ended` is set."""


class TemplateWriter:
    """Writes without a model."""

    def write(self, call: ToolCall, ended: Event) -> Sentence:
        text = template_sentence(call.tool_name, call.tool_args)
        # Arguments in JSON can name characters that no text in the database may hold.
        storable = (
            text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
        )
        return Sentence(storable, TEMPLATE, TOOL_SENTENCE_VERSION)


class ModelWriter:
    """Asks a model, and once more with what is wrong where its sentence does not pass the checks."""

    def __init__(self, chat: BlockingChat) -> None:
        self._chat = chat

    def write(self, call: ToolCall, ended: Event) -> Sentence:
        try:
            sentence, complaints = self._ask(call, (), ended)
        except BadAnswer as error:
            sentence, complaints = "", [str(error)]
        if complaints:
            sentence, complaints = self._ask(call, tuple(complaints), ended)
        if complaints:
            # Without what follows a colon: the queue must hold nothing that anybody said.
            faults = dict.fromkeys(complaint.partition(":")[0] for complaint in complaints)
            raise UnfitSentence(f"the sentence is refused: {', '.join(faults)}")
        return Sentence(sentence, self._chat.model, TOOL_SENTENCE_VERSION)

    def _ask(
        self, call: ToolCall, complaints: tuple[str, ...], ended: Event
    ) -> tuple[str, list[str]]:
        """Return a sentence, and what is wrong with it."""

        def heartbeat() -> None:
            if ended.is_set():
                raise Abandoned

        heartbeat()
        described = (call.tool_name, call.tool_args, call.tool_result)
        request = tool_sentence_request(*described, complaints)
        sentence = read_sentence(self._chat.complete(request, heartbeat))
        return sentence, check_sentence(sentence, *described)


def attempt(writer: Writer, call: ToolCall, ended: Event) -> Sentence | Exception:
    """Return a sentence, or what is wrong with this call. Raises ChatUnavailable, and what no call is to blame for."""
    try:
        return writer.write(call, ended)
    except (ChatUnavailable, Abandoned, psycopg.Error):
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
