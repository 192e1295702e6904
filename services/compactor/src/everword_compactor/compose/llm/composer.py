"""Writes nodes with a language model, and checks its answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from everword.chat.blocking import BlockingChat
from everword.chat.errors import BadAnswer, InputTooLong
from everword.chat.model import ChatRequest
from everword_compactor.compose.checks.coverage import require_coverage
from everword_compactor.compose.checks.faithfulness import check_faithfulness
from everword_compactor.compose.checks.prompt_context import PromptContext
from everword_compactor.compose.checks.tags import group_bullets
from everword_compactor.compose.extractive.composer import ExtractiveComposer
from everword_compactor.compose.llm.split_drafts import split_sources
from everword_compactor.compose.llm.token_budget import TokenBudget
from everword_compactor.compose.model import (
    Composition,
    Draft,
    Faithfulness,
    Level,
    Source,
    Voice,
)
from everword_compactor.compose.prompts.answers import read_answer
from everword_compactor.compose.prompts.levels import PROMPT_VERSIONS
from everword_compactor.compose.prompts.lines import Aliases
from everword_compactor.compose.prompts.summary import complaint_about, summary_request

#: Groups are filled so far, since tokens are not spread evenly.
_FILL = 0.85
#: After this many refusals of an input that seemed short enough, it fails.
_MAX_REFUSALS = 3
#: Maximum share of the context for the persona's identity.
_IDENTITY_SHARE = 0.25
#: A shorter identity fits every context.
_SHORT_IDENTITY_CHARS = 1_000

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Task:
    """One piece of writing: the sources shown, and those that all of it comes from."""

    draft: Draft
    origins: Sequence[Source]
    merging: bool = False


@dataclass(frozen=True)
class _ComposedText:
    content: str
    faithfulness: Faithfulness

    @property
    def merit(self) -> tuple[int, float]:
        """Greater is better: first the fewest offenders, then the most that is covered."""
        checked = self.faithfulness
        offenders = len(checked.unsupported) + len(checked.wrong_tags)
        return -offenders, checked.source_coverage + checked.identifier_coverage


class LlmComposer:
    """Composer over one chat model.

    Sources that exceed its context are split, each part is written, and the model joins the parts; nothing is cut off.
    """

    def __init__(self, chat: BlockingChat) -> None:
        self._chat = chat
        self.model = chat.model

    def prompt_version(self, level: Level) -> int:
        return PROMPT_VERSIONS[level]

    def compose(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
        """Return the checked node.

        If both of the model's answers are unusable or refused by the checks, the node consists of sentences of its
        sources. Raises everword.chat.errors.ChatError, without partial results.
        """
        draft = replace(draft, voice=self._fitting_voice(draft.voice, heartbeat))
        available = self._token_budget(draft, heartbeat)
        try:
            written = self._write(_Task(draft, draft.sources), available, heartbeat)
        except BadAnswer as error:
            log.warning("summary made of its sources' sentences", extra={"error": str(error)})
            return self._extractive(draft, heartbeat)
        if not written.faithfulness.faithful:
            composed = self._extractive(draft, heartbeat)
            if not composed.needs_review:
                return composed
        content = written.content
        if draft.level is Level.DAY:
            content = group_bullets(content)
        return Composition(
            content=content,
            model=self.model,
            prompt_version=self.prompt_version(draft.level),
            faithfulness=written.faithfulness,
            token_count=self._chat.count_tokens(content, heartbeat),
        )

    def _extractive(self, draft: Draft, heartbeat: Callable[[], None]) -> Composition:
        """Return sentences of the sources as a node of this model, so that it is not asked for the same node again."""
        composed = ExtractiveComposer().compose(draft, heartbeat)
        return replace(
            composed,
            model=self.model,
            prompt_version=self.prompt_version(draft.level),
            faithfulness=replace(composed.faithfulness, extractive=True),
        )

    def _fitting_voice(self, voice: Voice, heartbeat: Callable[[], None]) -> Voice:
        """Return a voice whose identity takes at most its share of the context: whole, or its beginning."""
        if len(voice.identity) < _SHORT_IDENTITY_CHARS:
            return voice
        allowed = int(_IDENTITY_SHARE * self._chat.context_tokens(heartbeat))
        tokens = self._chat.count_tokens(voice.identity, heartbeat)
        if tokens <= allowed:
            return voice
        log.warning("identity shortened", extra={"tokens": tokens, "allowed": allowed})
        beginning = voice.identity[: len(voice.identity) * allowed // tokens]
        return replace(voice, identity=beginning.rpartition("\n")[0] or beginning)

    def _token_budget(self, draft: Draft, heartbeat: Callable[[], None]) -> TokenBudget:
        bare = replace(draft, sources=[replace(draft.sources[0], text="")])
        request = _request(_Task(bare, draft.sources), TokenBudget.unknown(draft.level))
        return TokenBudget.of(
            draft.level,
            self._chat.context_tokens(heartbeat),
            fixed=self._tokens(request, heartbeat),
        )

    def _write(
        self, task: _Task, token_budget: TokenBudget, heartbeat: Callable[[], None]
    ) -> _ComposedText:
        for _ in range(_MAX_REFUSALS):
            request = _request(task, token_budget)
            tokens = self._tokens(request, heartbeat)
            if tokens > token_budget.input_tokens:
                return self._write_in_parts(task, tokens, token_budget, heartbeat)
            try:
                return self._write_checked(task, request, token_budget, heartbeat)
            except InputTooLong:
                # The server counts otherwise than was thought.
                token_budget = token_budget.smaller(tokens)
        raise InputTooLong(
            "The model rejects inputs shorter than the context that its server reports."
        )

    def _write_in_parts(
        self, task: _Task, tokens: int, token_budget: TokenBudget, heartbeat: Callable[[], None]
    ) -> _ComposedText:
        draft = task.draft
        groups = max(
            2, ceil((tokens - token_budget.fixed_tokens) / (_FILL * token_budget.source_tokens))
        )
        if task.merging:
            # Each round must leave fewer, or it would never end.
            groups = min(groups, ceil(len(draft.sources) / 2))
            if groups < 2:
                return _joined(task, heartbeat)
        parts = split_sources(draft.sources, groups)
        if len(parts) < 2:
            raise InputTooLong("A source exceeds the model's context, even in pieces.")
        merged = []
        for part in parts:
            alone = task.merging and len(part) == 1
            merged.append(
                part[0] if alone else self._write_part(task, part, token_budget, heartbeat)
            )
        return self._write(
            _Task(replace(draft, sources=merged), task.origins, merging=True),
            token_budget,
            heartbeat,
        )

    def _write_part(
        self,
        task: _Task,
        part: Sequence[Source],
        token_budget: TokenBudget,
        heartbeat: Callable[[], None],
    ) -> Source:
        """Return a part of a node in the place of its sources."""
        draft = replace(task.draft, sources=part)
        origins = task.origins if task.merging else part
        written = self._write(_Task(draft, origins, task.merging), token_budget, heartbeat)
        chats = {source.conversation_id for source in part}
        instances = {source.instance for source in part}
        return Source(
            id=part[0].id,
            level=draft.level,
            text=written.content,
            earliest_at=draft.earliest_at,
            latest_at=draft.latest_at,
            message_count=draft.message_count,
            conversation_id=chats.pop() if len(chats) == 1 else None,
            agent=draft.agent,
            channel=draft.channel,
            instance=instances.pop() if len(instances) == 1 else "",
        )

    def _write_checked(
        self,
        task: _Task,
        request: ChatRequest,
        token_budget: TokenBudget,
        heartbeat: Callable[[], None],
    ) -> _ComposedText:
        """Return the answer, or the better of two where the first says what its sources do not, or too little."""
        first = self._ask(task, request, heartbeat)
        if first.faithfulness.faithful:
            return first
        wrong = first.faithfulness
        complaint = complaint_about(wrong, token_budget.complaint_chars)
        try:
            second = self._ask(task, _request(task, token_budget, complaint), heartbeat)
        except BadAnswer:
            return first
        return max(first, second, key=lambda written: written.merit)

    def _ask(
        self, task: _Task, request: ChatRequest, heartbeat: Callable[[], None]
    ) -> _ComposedText:
        """Return the model's answer; an unusable one is requested once more."""
        try:
            content = self._answer(task, request, heartbeat)
        except BadAnswer:
            content = self._answer(task, request, heartbeat)
        return _ComposedText(content, _checked(task, content, heartbeat))

    def _answer(self, task: _Task, request: ChatRequest, heartbeat: Callable[[], None]) -> str:
        answer = self._chat.complete(request, heartbeat)
        return read_answer(answer.value, task.draft, task.origins, Aliases.of(task.draft.sources))

    def _tokens(self, request: ChatRequest, heartbeat: Callable[[], None]) -> int:
        return self._chat.count_tokens(f"{request.system}\n{request.user}", heartbeat)


def _request(task: _Task, token_budget: TokenBudget, complaint: str = "") -> ChatRequest:
    return summary_request(
        task.draft,
        Aliases.of(task.draft.sources),
        answer_tokens=token_budget.answer_tokens,
        thinking_tokens=token_budget.thinking_tokens,
        merging=task.merging,
        complaint=complaint,
    )


def _joined(task: _Task, heartbeat: Callable[[], None]) -> _ComposedText:
    """Return two parts as they stand: they are longer than was asked for, and better long than lost."""
    content = "\n\n".join(source.text for source in task.draft.sources)
    return _ComposedText(content, _checked(task, content, heartbeat))


def _checked(task: _Task, content: str, heartbeat: Callable[[], None]) -> Faithfulness:
    draft = task.draft
    found = check_faithfulness(
        content,
        task.origins,
        time_zone=draft.time_zone,
        shown=PromptContext.of(draft),
        level=draft.level,
        heartbeat=heartbeat,
    )
    return require_coverage(found, content, task.origins, draft.level, heartbeat)
