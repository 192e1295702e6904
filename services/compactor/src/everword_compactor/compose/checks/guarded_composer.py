"""Checks that fail of a text keep nothing from being summed up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from everword.jobs.task import LeaseLost

log = logging.getLogger(__name__)
T = TypeVar("T")


def or_else(otherwise: T, check: Callable[..., T], *texts: object) -> T:
    """Return the result of a check; if it fails, the error is logged and `otherwise` returned.

    A failure that repeats must not block the summaries of a conversation and its days for good. Raises LeaseLost.
    """
    try:
        return check(*texts)
    except LeaseLost:
        raise
    except Exception:
        log.exception("text not checked", extra={"check": check.__name__})
        return otherwise
