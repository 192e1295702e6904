"""Failures of single nodes, which must not keep back the others of their job."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from everword.chat.errors import ChatBudgetSpent, ChatUnavailable
from everword.jobs.task import LeaseLost

log = logging.getLogger(__name__)


class Failures:
    """The failures of a job so far."""

    def __init__(self) -> None:
        self._errors: list[Exception] = []

    def __len__(self) -> int:
        return len(self._errors)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what the block raises for later. A lost lease and a lost database concern every node, and pass."""
        try:
            yield
        except (LeaseLost, psycopg.Error):
            raise
        except ChatBudgetSpent as error:
            self._errors.append(error)
        except Exception as error:  # whatever a composer fails of
            log.warning("node failed", exc_info=error)
            self._errors.append(error)

    def raise_any(self) -> None:
        """Raise one of the errors, if there are some."""
        # A model that is away is to blame for more than what cannot be done with it.
        away = (error for error in self._errors if isinstance(error, ChatUnavailable))
        if error := next(away, self._errors[0] if self._errors else None):
            raise error
