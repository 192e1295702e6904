"""Calibrations of relevance, as the owner of the schema stores them. Services only read them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import psycopg
from psycopg.types.json import Jsonb

from everword.domain.calibration import WITHOUT_MODEL, CalibratedProfile

_ACTIVE = "SELECT id, model FROM model_generations WHERE state = 'active' FOR SHARE"
_STORE = """
INSERT INTO calibrations (profile, generation_id, evidence, relevance, floor, provenance)
VALUES (%s, %s, %s, %s, %s, %s)
    ON CONFLICT (profile, generation_id) DO UPDATE
   SET evidence = excluded.evidence, relevance = excluded.relevance, floor = excluded.floor,
       provenance = excluded.provenance, created_at = now()
"""


class CalibrationError(Exception):
    """Calibrations cannot be stored; the message says why."""


class Calibrations:
    """Stores calibrations through the owner's URL."""

    def __init__(self, admin_url: str) -> None:
        self._url = admin_url

    def store(self, calibrations: Iterable[CalibratedProfile]) -> None:
        """Let searches with the active generation go by these, all of them or none.

        Raises CalibrationError where another model is active by now.
        """
        options = "-c search_path=everword,public -c timezone=UTC -c lock_timeout=4s"
        with psycopg.connect(self._url, options=options) as conn:
            generation_id, model = conn.execute(_ACTIVE).fetchone() or (None, None)
            for each in calibrations:
                if not each.fits(each.profile, model):
                    raise CalibrationError(
                        f"{each.profile} was measured with {each.model}, and the active model is {model}"
                    )
                conn.execute(_STORE, _parameters(each, generation_id))


def _parameters(measured: CalibratedProfile, generation_id: int | None) -> list[Any]:
    return [
        measured.profile,
        None if measured.profile in WITHOUT_MODEL else generation_id,
        list(measured.calibration.evidence),
        list(measured.calibration.relevance),
        measured.calibration.floor,
        Jsonb(dict(measured.provenance)),
    ]
