"""Errors of a chat model, by the remedy.

  ChatError
  ├── ChatUnavailable        the request is not the reason: try again later
  │   ├── ChatBusy           the server is reachable, and overloaded
  │   ├── ChatTimedOut       the server was silent for too long; its model may be too slow
  │   ├── ChatMisconfigured  a person must act first: key, model name, URL
  │   └── ChatBudgetSpent    the model's budget of this month is spent, and it is not asked
  ├── InputTooLong           split the input
  ├── ChatRefused            this request is refused, and will be again
  │   ├── FormatRefused      because of the form of the answer, such as a JSON schema
  │   ├── ModelDeclined      by the model, not by the server
  │   └── OutputTooLong      the server allows fewer tokens for an answer
  └── BadAnswer              an unusable answer; another try may give a better one

Messages go to logs and to tables that cross namespaces: none may have content.
"""

from __future__ import annotations


class ChatError(Exception):
    """A model gave no answer."""

    #: Name of the outcome in telemetry and in the ledger.
    outcome = "error"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").split("\n\n")[0])


class ChatUnavailable(ChatError):
    """The model does not answer.

    `retry_after_s` is the pause requested by the server, if any.
    """

    outcome = "unavailable"

    def __init__(self, message: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ChatBusy(ChatUnavailable):
    """The model has too much to do."""


class ChatTimedOut(ChatUnavailable):
    """The model sent nothing for the whole read time-out. The same request would take as long again."""

    outcome = "timed_out"


class ChatMisconfigured(ChatUnavailable):
    """The model cannot answer until its settings are put right."""

    outcome = "misconfigured"


class ChatBudgetSpent(ChatUnavailable):
    """The budget of models for this month is spent."""

    outcome = "budget"


class InputTooLong(ChatError):
    """The input and the room for the answer are more than the model reads.

    `limit` is the tokens it reads, where the server says so.
    """

    outcome = "too_long"

    def __init__(self, message: str = "", limit: int | None = None) -> None:
        super().__init__(message)
        self.limit = limit


class ChatRefused(ChatError):
    """The request is refused."""

    outcome = "refused"


class FormatRefused(ChatRefused):
    """The server does not support the form in which the answer is requested."""


class ModelDeclined(ChatRefused):
    """The model will not answer."""


class OutputTooLong(ChatRefused):
    """The request allows the model more tokens for its answer than the server does; `limit` is the server's maximum."""

    def __init__(self, message: str, limit: int) -> None:
        super().__init__(message)
        self.limit = limit


class BadAnswer(ChatError):
    """The answer cannot be used.

    `outcome` says why: `cut_off`, `empty` or `malformed`, which is not JSON or not of the schema.
    """

    CUT_OFF = "cut_off"

    def __init__(self, message: str, outcome: str) -> None:
        super().__init__(message)
        self.outcome = outcome
