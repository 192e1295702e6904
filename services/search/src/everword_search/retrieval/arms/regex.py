"""The regex arm: a regular expression on the original text, newest first, with a time limit."""

from __future__ import annotations

import psycopg

from everword.db.pool import Connection
from everword.domain.deadline import remaining
from everword.domain.errors import InvalidArgument, InvalidRegex, RegexTooExpensive
from everword_search.passages import store
from everword_search.passages.ranked_memories import Candidate, Window
from everword_search.passages.store import RegexRow, Scope
from everword_search.records.model import end_of_time
from everword_search.retrieval.arms.base import Arm, SearchArm

MAX_CHARS = 500
TIME_LIMIT_S = 2.0


class RegexArm(Arm):
    """Matches without ranking: every candidate scores 1."""

    name = SearchArm.REGEX
    time_limit_s = TIME_LIMIT_S

    def __init__(self, scope: Scope, pattern: str) -> None:
        """Raises InvalidArgument if the pattern is too long."""
        if len(pattern) > MAX_CHARS:
            text = f"a regular expression has at most {MAX_CHARS} characters"
            raise InvalidArgument(violations=(("query", text),))
        self._scope = scope
        self._pattern = pattern

    @property
    def idle_reason(self) -> str:
        return ""

    async def find(self, conn: Connection, window: Window) -> list[Candidate]:
        """Return the candidates in `window`.

        Raises InvalidRegex, and RegexTooExpensive if the time limit was reached.
        """
        occurred_at, source_id = window.after or end_of_time(newest_first=True)
        parameters = {
            "pattern": self._pattern,
            "after_occurred_at": occurred_at,
            "after_source_id": source_id,
            "limit": window.limit,
        }
        # If the caller's deadline is nearer than the arm's limit, the timeout is the caller's.
        own_limit = remaining(TIME_LIMIT_S) == TIME_LIMIT_S
        try:
            rows = await store.find_regex(conn, self._scope, parameters)
        except psycopg.errors.InvalidRegularExpression as error:
            problem = _problem(error)
            message = f"The regular expression does not compile: {problem}."
            raise InvalidRegex(message, problem=problem) from error
        except psycopg.errors.QueryCanceled as error:
            if own_limit:
                raise RegexTooExpensive(limit_ms=int(TIME_LIMIT_S * 1000)) from error
            raise
        return [_candidate(row) for row in rows]


def _problem(error: psycopg.errors.InvalidRegularExpression) -> str:
    message = error.diag.message_primary or ""
    return message.removeprefix("invalid regular expression: ")


def _candidate(row: RegexRow) -> Candidate:
    position = [row.occurred_at.isoformat(), str(row.source_id)]
    return Candidate(row.source_id, row.passage_id, 1.0, 1.0, position)
