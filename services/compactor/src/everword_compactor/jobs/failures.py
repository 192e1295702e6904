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
        """Store exceptions of the block for later. A lost lease and a lost database concern every node, and
        are raised.
        """
        try:
            yield
        except (LeaseLost, psycopg.Error):
            raise
        except ChatBudgetSpent as error:
            self._errors.append(error)
        except Exception as error:  # a composer may fail in any way
            log.warning("node failed", exc_info=error)
            self._errors.append(error)

    def raise_any(self) -> None:
        """Raise one of the errors, if there are some."""
        # Prefer the error of an unavailable model, which concerns all nodes.
        away = (error for error in self._errors if isinstance(error, ChatUnavailable))
        if error := next(away, self._errors[0] if self._errors else None):
            raise error
