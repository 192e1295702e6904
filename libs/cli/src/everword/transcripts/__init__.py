"""Conversations as files: JSONL with a message a line, documents of the format everword-bench/1, and OpenAI's chats.

The fields of the first two are those of `everword.v1.NewMessage`, with short names of roles and classes (`user`,
`correction`); a line of JSONL also says which conversation it belongs to, by the fields of ConversationKey and
ConversationDetails.
"""

from everword.transcripts.chats import chat_messages
from everword.transcripts.errors import RecordError, TranscriptError
from everword.transcripts.fields import (
    Entry,
    as_object,
    fill,
    list_in,
    name_in,
    object_in,
    parse_json,
    text_in,
    texts_in,
    to_message,
    to_target,
)
from everword.transcripts.files import (
    BENCH_FORMAT,
    read_conversation,
    read_transcript,
    to_line,
)
from everword.transcripts.meter import MOST_NAMED, Meter, SkippedRecord
from everword.transcripts.parts import (
    AGAIN,
    EMPTY,
    MARK_ERRORS,
    NOT_UTF8,
    Part,
    has_replaced_bytes,
    json_parts,
    without_marks,
)
from everword.transcripts.times import time_of

__all__ = [
    "AGAIN",
    "BENCH_FORMAT",
    "EMPTY",
    "MARK_ERRORS",
    "MOST_NAMED",
    "NOT_UTF8",
    "Entry",
    "Meter",
    "Part",
    "RecordError",
    "SkippedRecord",
    "TranscriptError",
    "as_object",
    "chat_messages",
    "fill",
    "has_replaced_bytes",
    "json_parts",
    "list_in",
    "name_in",
    "object_in",
    "parse_json",
    "read_conversation",
    "read_transcript",
    "text_in",
    "texts_in",
    "time_of",
    "to_line",
    "to_message",
    "to_target",
    "without_marks",
]
