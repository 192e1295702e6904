"""Conversations as files: JSONL with a message a line, documents of the format everword-bench/1, and OpenAI's chats.

The fields of the first two are those of `everword.v1.NewMessage`, with short names of roles and classes (`user`,
`correction`); a line of JSONL also says which conversation it belongs to, by the fields of ConversationKey and
ConversationDetails.
"""

from everword.transcripts.chats import chat_messages
from everword.transcripts.errors import TranscriptError
from everword.transcripts.fields import (
    Entry,
    as_object,
    fill,
    parse_json,
    to_message,
    to_target,
)
from everword.transcripts.files import (
    BENCH_FORMAT,
    read_conversation,
    read_transcript,
    to_line,
)
from everword.transcripts.parts import AGAIN, EMPTY, Meter, Part, json_parts
from everword.transcripts.times import time_of

__all__ = [
    "AGAIN",
    "BENCH_FORMAT",
    "EMPTY",
    "Entry",
    "Meter",
    "Part",
    "TranscriptError",
    "as_object",
    "chat_messages",
    "fill",
    "json_parts",
    "parse_json",
    "read_conversation",
    "read_transcript",
    "time_of",
    "to_line",
    "to_message",
    "to_target",
]
