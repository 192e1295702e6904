"""Answers from memory, with citations, by the language model of the memory server."""

from __future__ import annotations

from everword.adapters.tools.limits import MAX_TOKENS, count_fitting
from everword.adapters.tools.memory import Query
from everword.adapters.tools.model import READS, Tool, ToolCaller, ToolError, ToolSet
from everword.adapters.tools.owners import Conversation, Subject, When, filter_of
from everword.adapters.tools.text import heading, indented, one_line
from everword.client import CallError
from everword.v1 import search_service_pb2

_CITED_CHARS, _ANSWER_TOKENS = 300, 2_000


async def memory_answer(
    caller: ToolCaller,
    query: Query,
    since: When = "",
    until: When = "",
    subject: Subject = "",
    conversation: Conversation = "",
) -> str:
    """Answer a question from memory alone, in words and with citations. memory_search shows the memories themselves."""
    request = search_service_pb2.AnswerRequest(
        query=query,
        filter=await filter_of(caller, subject, conversation, since=since, until=until),
        max_answer_tokens=_ANSWER_TOKENS,
        at_least_as_fresh=caller.token,
    )
    try:
        response = await caller.client.search_service.Answer(request, metadata=caller.metadata)
    except CallError as error:
        if error.reason == "CHAT_NOT_CONFIGURED":
            raise ToolError(
                "The memory server has no language model. Call memory_search or memory_context, and answer yourself."
            ) from None
        raise
    if not response.answer:
        return "Nothing that is remembered answers this."
    lines = [
        f"[{each.number}] {heading(each.memory)}: {one_line(each.memory.content, _CITED_CHARS)}"
        for each in response.citations
    ]
    unsupported = [
        f"Not in the cited memories: {one_line(each, _CITED_CHARS)}"
        for each in response.unsupported
    ]
    said = [indented(response.answer), *lines, *unsupported]
    return "\n".join(said[: count_fitting(said, MAX_TOKENS)])


ANSWERS = ToolSet((Tool(memory_answer, "Answer from memory", READS),))
