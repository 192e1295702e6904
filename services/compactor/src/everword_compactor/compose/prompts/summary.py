"""The request for a summary."""

from __future__ import annotations

from collections.abc import Sequence

from everword.chat.model import ChatRequest
from everword_compactor.compose.model import Draft, Faithfulness, Level
from everword_compactor.compose.prompts.answers import answer_schema
from everword_compactor.compose.prompts.levels import instruction
from everword_compactor.compose.prompts.lines import Aliases, preamble, source_lines
from everword_compactor.compose.prompts.rules import system_message

_TEMPERATURE = 0.3


def summary_request(
    draft: Draft,
    aliases: Aliases,
    *,
    answer_tokens: int,
    thinking_tokens: int,
    merging: bool = False,
    complaint: str = "",
) -> ChatRequest:
    """Return the chat request for a draft.

    `merging` is True if its sources are parts of it; `complaint` is about an earlier answer.
    """
    user = [preamble(draft)]
    if draft.level is Level.DAY:
        user.append(_legend(aliases))
    if draft.instructions.strip():
        user.append(f"About the channels:\n{draft.instructions.strip()}")
    user.append(source_lines(draft, aliases))
    user.append(f"Write at most {answer_tokens} tokens, and no more than there is to say.")
    if complaint:
        user.append(complaint)
    return ChatRequest(
        task=draft.level.name.lower(),
        system=system_message(instruction(draft.level, merging=merging), draft.voice),
        user="\n\n".join(user),
        max_tokens=answer_tokens + thinking_tokens,
        temperature=_TEMPERATURE,
        thinking=True,
        schema=answer_schema(draft.level, answer_tokens),
    )


def complaint_about(wrong: Faithfulness, max_chars: int) -> str:
    """Describe the problems of an answer, in at most about `max_chars` characters."""
    kinds = (
        (
            "It held what no source holds; leave these out, or copy what the sources say",
            wrong.unsupported,
        ),
        (
            "Its chats, via or tags were missing or named what is not among the sources",
            wrong.wrong_tags,
        ),
        (
            "It left out too much. Say what the sources say of these, and of what begins so, as data",
            wrong.left_out,
        ),
    )
    named = [
        f"{what}:\n{_listed(offenders, max_chars // len(kinds))}"
        for what, offenders in kinds
        if offenders
    ]
    return "\n".join(["Write it again, without these mistakes of an earlier answer.", *named])


def _listed(offenders: Sequence[str], max_chars: int) -> str:
    lines: list[str] = []
    for offender in offenders:
        lines.append(f"- {' '.join(offender.split())[:120]}")
        if sum(map(len, lines)) > max_chars:
            break
    return "\n".join(lines)


def _legend(aliases: Aliases) -> str:
    names = [*aliases.chats.values(), *aliases.instances.values()]
    return f"Short names of conversations and instances: {', '.join(names) or 'none'}"
