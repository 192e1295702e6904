"""Intervals of validity and knowledge of the few passages that have limited ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from everword.db.arrays import Array
from everword_search.kernels.arrays import Floats, Ints

#: Columns of a row of limits, in seconds since 1970; infinite if open.
VALID_FROM, VALID_UNTIL, KNOWN_FROM, KNOWN_UNTIL = range(4)
_OPEN = np.array([-np.inf, np.inf, -np.inf, np.inf])


@dataclass(frozen=True, eq=False)
class Intervals:
    """The limits of some rows; all other rows are unlimited."""

    #: Ascending and unique.
    rows: Ints
    #: One row of four columns for each of `rows`.
    limits: Floats

    @classmethod
    def none(cls) -> Intervals:
        return cls(np.zeros(0, np.int64), np.zeros((0, len(_OPEN))))

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + self.limits.nbytes

    def of(self, rows: Ints) -> Floats:
        """Return the limits of rows, one row of four columns for each."""
        found = np.tile(_OPEN, (len(rows), 1))
        places = np.searchsorted(self.rows, rows)
        limited = np.isin(rows, self.rows)
        found[limited] = self.limits[places[limited]]
        return found

    def with_limits(self, rows: Ints, limits: Floats) -> Intervals:
        """Return these intervals with the limits of `rows` replaced."""
        retained = ~np.isin(self.rows, rows)
        limited = np.any(limits != _OPEN, axis=1)
        all_rows = np.append(self.rows[retained], rows[limited])
        order = np.argsort(all_rows)
        return Intervals(
            all_rows[order], np.vstack([self.limits[retained], limits[limited]])[order]
        )

    def leave_out(
        self,
        passes: Array,
        now: float,
        valid_at: float | None,
        known_at: float | None,
        includes_superseded: bool,
    ) -> None:
        """Set `passes` to False for rows that are not valid at `valid_at` or not known at `known_at`.

        Both default to now. Without `valid_at`, rows that become valid later stay. With `includes_superseded`, rows
        whose validity has ended stay, too. Times are seconds since 1970.
        """
        if not len(self.rows):
            return
        limits = self.limits
        known = now if known_at is None else known_at
        holds = limits[:, VALID_UNTIL] > (now if valid_at is None else valid_at)
        holds |= includes_superseded
        holds &= (limits[:, KNOWN_FROM] <= known) & (limits[:, KNOWN_UNTIL] > known)
        if valid_at is not None:
            holds &= limits[:, VALID_FROM] <= valid_at
        passes[self.rows[~holds]] = False

    def exclude_ended(self, passes: Array, of_kind: Array, now: float) -> None:
        """Set `passes` to False for rows of a kind that have expired by now.

        They are gone for every requested moment.
        """
        ended = self.limits[:, VALID_UNTIL] <= now
        passes[self.rows[ended & of_kind[self.rows]]] = False
