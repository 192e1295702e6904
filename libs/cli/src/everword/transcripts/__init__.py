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
    count_messages,
    read_conversation,
    read_transcript,
    to_line,
)

__all__ = [
    "BENCH_FORMAT",
    "Entry",
    "TranscriptError",
    "as_object",
    "chat_messages",
    "count_messages",
    "fill",
    "parse_json",
    "read_conversation",
    "read_transcript",
    "to_line",
    "to_message",
    "to_target",
]
