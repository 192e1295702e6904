"""Which features the models are given; see docs/search.md."""

from __future__ import annotations


def _with_neighbours(name: str) -> tuple[str, ...]:
    return (name, f"{name}_p1", f"{name}_n1", f"{name}_p2", f"{name}_n2")


_MATCH = ("bg", "cov", "cov3", "covw")
_TURN = (
    *("d_last", "d_len", "d_pos", "d_prevlen", "d_prevq", "d_q", "d_role", "d_self", "d_time"),
    *("m_mention", "m_named", "m_other", "x_day", "x_month", "x_year"),
)
_QUESTION = ("q_idf", "q_len", "q_names", "q_terms", "q_when", "q_who")

RANKING_FEATURES = (
    *_with_neighbours("sb"),
    *_with_neighbours("de"),
    *_MATCH,
    *_TURN,
    *_QUESTION,
)
RELEVANCE_FEATURES = (
    *RANKING_FEATURES,
    *("q_unk", "m_unk", "m_absent", "m_hit", "covm", "cov_rare"),
)
