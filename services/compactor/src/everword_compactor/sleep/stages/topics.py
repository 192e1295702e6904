"""Step 2, topics: name up to three topics of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from everword_compactor.jobs.questions import CheckedAnswer, ModelQuestion
from everword_compactor.sleep.stages.name_attributes import topic_names
from everword_compactor.sleep.work import SessionStage, SessionWork, StageTools

TASK = "sleep-topics"
MAX_TOKENS = 100
#: Messages that are shown, the characters of each, and known topics.
_MESSAGES, _CHARS, _KNOWN = 40, 120, 30
_INSTRUCTION = """\
The records `messages` are the beginnings of what users wrote in a conversation. Name up to three topics of it, in one \
to three words each. Use a name of the records `topics` where one fits. Answer: {"topics": ["..."]}"""
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "topics": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 60}}
    },
    "required": ["topics"],
    "additionalProperties": False,
}


def name_topics(tools: StageTools, work: SessionWork) -> SessionWork:
    """Add the topics of a session in which people state facts; small talk has none."""
    assert tools.asking is not None
    if not work.observations:
        return work
    known = work.loaded.known_topics
    records = {
        "messages": [{"text": each.content[:_CHARS]} for each in work.session.said[:_MESSAGES]],
        "topics": [{"topic": topic} for topic in known[:_KNOWN]],
    }
    question = ModelQuestion(
        TASK, _INSTRUCTION, records, _SCHEMA, MAX_TOKENS, ["topics", "messages"]
    )
    topics = tools.asking.ask(question, lambda answer: CheckedAnswer(list(answer["topics"])))
    return replace(work, topics=topic_names(topics, known))


TOPICS = SessionStage("topics", name_topics, needs_model=True)
