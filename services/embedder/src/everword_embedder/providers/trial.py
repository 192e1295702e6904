"""Tests a model before it is registered: whether its vectors distinguish texts, and its speed."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from everword_embedder.providers.configuration import ModelConfiguration
from everword_embedder.providers.errors import ProviderMisconfigured
from everword_embedder.providers.provider import EmbeddingProvider

#: Questions, and the statements that answer them.
PAIRS = (
    ("Where does Anna live now?", "Anna lives in Lisbon now, in a flat near the river."),
    ("When is the release of version 2.4?", "The release of version 2.4 is on the third of May."),
    ("Which tea does my mother like?", "My mother likes green tea best, without any sugar."),
    ("Why did the build fail?", "The build did fail because the disk of the runner was full."),
)
_ROUNDS = 5


@dataclass(frozen=True)
class Trial:
    """The results of a trial."""

    #: Mean cosine of a question and its answer.
    answer_cosine: float
    #: Mean cosine of a question and the answers to other questions.
    other_cosine: float
    #: Milliseconds for a question, the minimum of five runs.
    question_ms: float
    #: Passages of about 14 tokens per second, in one call.
    passages_per_s: float


async def try_model(provider: EmbeddingProvider, configuration: ModelConfiguration) -> Trial:
    """Embed questions and answers. Raises ProviderError if the vectors are unusable.

    Providers have already checked that all numbers are finite and that the dimensions are right.
    """
    questions = [configuration.query_prefix + question for question, _ in PAIRS]
    passages = [configuration.passage_prefix + passage for _, passage in PAIRS]
    asked, answers = await provider.embed(questions), await provider.embed(passages)
    cosines = asked @ answers.T
    own = float(np.mean(np.diag(cosines)))
    other = float((cosines.sum() - np.trace(cosines)) / (cosines.size - len(cosines)))
    if not own > other:
        raise ProviderMisconfigured(
            f"the model does not tell texts apart: a question and its answer have a cosine of {own:.2f}, and a "
            f"question and the answers to others {other:.2f}; check the pooling and the prefixes"
        )
    question_s = min([await _seconds(provider, questions[:1]) for _ in range(_ROUNDS)])
    passages_s = await _seconds(provider, passages * 4)
    return Trial(
        round(own, 3), round(other, 3), round(question_s * 1000, 2), round(16 / passages_s, 1)
    )


async def _seconds(provider: EmbeddingProvider, texts: list[str]) -> float:
    started = time.perf_counter()
    await provider.embed(texts)
    return time.perf_counter() - started
