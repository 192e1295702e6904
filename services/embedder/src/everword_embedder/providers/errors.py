"""Errors of a provider, by the remedy.

  ProviderError
  ├── ProviderUnavailable        no text is the reason: try again later
  │   └── ProviderMisconfigured  a person must act first: key, model name, dimensions, files
  ├── BatchRefused               a text is the reason: split the batch until it is alone
  └── WrongAnswer                an answer that must not be stored; a text may be the reason, so split as well

Messages go to logs and to tables that cross namespaces: none may have content.
"""

from __future__ import annotations

#: Key of the number of tokens that the model had read, in the metadata of a failed call.
INPUT_TOKENS = "input_tokens"


class ProviderError(Exception):
    """A provider gave no vectors."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").split("\n\n")[0])


class ProviderUnavailable(ProviderError):
    """The provider does not answer.

    `retry_after_s` is the pause requested by the provider, if any.
    """

    def __init__(self, message: str = "", retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ProviderMisconfigured(ProviderUnavailable):
    """The provider cannot answer until its settings are corrected."""


class BatchRefused(ProviderError):
    """The provider refuses the texts."""


class WrongAnswer(ProviderError):
    """The provider's answer is not a valid list of vectors for the texts."""
