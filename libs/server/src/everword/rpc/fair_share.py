"""Shares among namespaces: whose call is one too many gets the error that all RPCs have for it."""

from __future__ import annotations

from everword.admission import fair_share
from everword.domain.errors import Overloaded


class CallShare(fair_share.FairShare):
    """A semaphore of amounts, whose `take` raises Overloaded."""

    def refusal(self, limit: int, *, of_group: bool) -> Exception:
        message = "Too many calls of this namespace at once; repeat this one after a pause."
        return Overloaded(message if of_group else "", limit=limit)
