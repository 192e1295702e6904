"""Conversations as files: JSONL with a message a line, documents of the format everword-bench/1, and OpenAI's chats.

The fields of the first two are those of `everword.v1.NewMessage`, with short names of roles and classes (`user`,
`correction`); a line of JSONL also says which conversation it belongs to, by the fields of ConversationKey and
ConversationDetails.
"""

from everword.transcripts.errors import TranscriptError
from everword.transcripts.files import (
    BENCH_FORMAT,
    Entry,
    as_object,
    count_messages,
    parse_json,
    read_conversation,
    read_transcript,
    to_line,
)

__all__ = [
    "BENCH_FORMAT",
    "Entry",
    "TranscriptError",
    "as_object",
    "count_messages",
    "parse_json",
    "read_conversation",
    "read_transcript",
    "to_line",
]
