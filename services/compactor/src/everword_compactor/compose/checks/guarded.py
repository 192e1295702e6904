"""Checks that fail of a text keep nothing from being summed up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

from everword.jobs.task import LeaseLost

log = logging.getLogger(__name__)
T = TypeVar("T")


def or_else(otherwise: T, check: Callable[..., T], *texts: object) -> T:
    """Return what a check finds; where it fails of a text, that is logged, and `otherwise` stands for it.

    What fails each time must not keep a conversation and its days from being summed up for good. Raises LeaseLost.
    """
    try:
        return check(*texts)
    except LeaseLost:
        raise
    except Exception:
        log.exception("text not checked", extra={"check": check.__name__})
        return otherwise
