"""Descriptions of failed background work for callers.

An exception's own message may contain addresses, settings, or another service's answer; only operators see it.
"""

from __future__ import annotations

from everword.domain.caller import Role

#: Stored errors that callers see unchanged: Everword's own words about a text.
PLAIN = frozenset(
    {
        "it holds no words",
        "it is encoded data, not text",
        "the worker ended without a result",
    }
)
UNKNOWN = "it failed within Everword; an operator sees why"
#: Default for a passage, whose stored error is the answer of the model's server.
NOT_EMBEDDED = "the embedding model makes no vector of it; an operator sees why"
#: By the class of the exception, with which stored errors begin.
_KINDS = {
    "ChatUnavailable": "the language model does not answer",
    "ChatBudgetSpent": "what language models may cost this month is spent",
    "ChatTimedOut": "the language model takes too long",
    "FormatRefused": "the language model's server refuses it",
    "ChatBusy": "the language model has too much to do",
    "ChatMisconfigured": "the language model is not set up as it has to be",
    "InputTooLong": "it is longer than the language model reads",
    "ChatRefused": "the language model's server refuses it",
    "ModelDeclined": "the language model declines it",
    "BadAnswer": "the language model's answer could not be used",
    "ModelUnavailable": "the embedding model does not answer",
    "TextsRejected": "the embedding model refuses it",
    "BatchRefused": "the embedding model refuses it",
    "WrongAnswer": "the embedding model's answer could not be used",
    "OperationalError": "the database did not answer",
    "StepTooLong": "it took too long",
}


def public_error(error: str, role: Role, otherwise: str = UNKNOWN) -> str:
    """Return a stored error as shown to a caller: in full to an operator, as its kind to others.

    If the kind is unknown, they see `otherwise`.
    """
    if role is Role.ADMIN or not error or error in PLAIN:
        return error
    kind, colon, _ = error.partition(":")
    return _KINDS.get(kind, otherwise) if colon else otherwise
