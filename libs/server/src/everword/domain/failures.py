"""The kinds of failure that callers are told of background work that was given up.

An exception's own words may name addresses, settings, or what another service answered; only an operator sees them.
"""

from __future__ import annotations

from everword.domain.caller import Role

#: What is stored as it is shown: Everword's own words about a text.
PLAIN = frozenset(
    {
        "it holds no words",
        "it is encoded data, not text",
        "the worker ended without a result",
    }
)
UNKNOWN = "it failed within Everword; an operator sees why"
#: Of a passage, where nothing else is known: its error is what the model's server answered.
NOT_EMBEDDED = "the embedding model makes no vector of it; an operator sees why"
#: By the class of the exception, with which stored errors begin.
_KINDS = {
    "ChatUnavailable": "the language model does not answer",
    "ChatBudgetSpent": "what language models may cost this month is spent",
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


def shown_error(error: str, role: Role, otherwise: str = UNKNOWN) -> str:
    """Return what a caller with a role is told of a stored error: all of it an operator, others its kind.

    Where that is not known, they are told `otherwise`.
    """
    if role is Role.ADMIN or not error or error in PLAIN:
        return error
    kind, colon, _ = error.partition(":")
    return _KINDS.get(kind, otherwise) if colon else otherwise
