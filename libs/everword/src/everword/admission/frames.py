"""The memory that an error keeps."""

from __future__ import annotations


def forget_frames(error: BaseException) -> None:
    """Drop the tracebacks of an error and of its causes when they are no longer needed.

    A traceback refers to frames, and these to the request and often to the error: such a cycle stays in memory until a
    garbage collection.
    """
    each: BaseException | None = error
    while each is not None and each.__traceback__ is not None:
        each.__traceback__ = None
        each = each.__cause__ or each.__context__
