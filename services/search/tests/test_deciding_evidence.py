"""What the verdict on a search goes by."""

from __future__ import annotations

from uuid import UUID

from everword.domain.calibration import DECIDING
from everword_search.model import Hit
from everword_search.relevance import deciding_evidence


def test_evidence_after_the_first_ten_decides_nothing() -> None:
    def hit(evidence: float | None) -> Hit:
        return Hit(UUID(int=1), 1, 0.5, [0.5, 1], (), evidence=evidence)

    early = [hit(None), *(hit(0.1 * place) for place in range(DECIDING - 1))]
    deciding = deciding_evidence([*early, hit(9.0)])
    assert deciding == tuple(0.1 * place for place in range(DECIDING - 1))
    assert deciding_evidence([hit(None)]) == ()
