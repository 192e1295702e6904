"""Ask questions through the public RPCs, and store the features of each candidate.

The features come from `explain`: a search computes the same ones, so training and serving cannot drift apart.
"""

from __future__ import annotations

import asyncio
import hashlib
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from everword.bench.answer import Place
from everword.bench.bench_namespace import fill, namespace, wait_until_embedded
from everword.bench.dataset import Dataset, Question, questions
from everword.bench.native_format import BenchSet
from everword.bench.target import own_target
from everword.client import Client
from everword.db.generations import Generations
from everword.domain.settings import Environment
from everword.embedded.model import describe_model
from everword.v1 import search_service_pb2 as pb

PAGE_SIZE = 200
#: The set of the packaged chats in several languages.
CHATS = "chats"
#: The checkout that is asked, and whose state the collected features are of.
SOURCES = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class QuestionSample:
    """A question with its candidates."""

    set: str
    world: str
    question: Question
    #: External ids of the candidates' messages.
    candidates: list[str]
    features: Sequence[str]
    #: A row a candidate, a column a feature.
    values: npt.NDArray[np.float32]

    @property
    def kind(self) -> str:
        """`own`, `near miss` or `foreign`."""
        if self.question.foreign:
            return "foreign"
        return "own" if self.question.query.is_averaged else "near miss"

    @property
    def relevant(self) -> frozenset[str]:
        """Return the messages that answer the question; empty if it is foreign or unanswerable."""
        averaged = self.question.query.is_averaged and not self.question.foreign
        return self.question.query.relevant if averaged else frozenset()


def collect(
    sets: Sequence[BenchSet], model: str, environment: Environment, cache: Path
) -> list[QuestionSample]:
    """Return every question of `sets` as it was asked of an Everword that embeds with a packaged model.

    They are kept in the folder `cache`, and read from there again as long as data and code are the same.
    """
    path = cache / f"asked-{_key(sets, model)}.pickle"
    if not path.exists():
        asked = asyncio.run(_collect(sets, model, environment))
        cache.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps(asked))
    return list(pickle.loads(path.read_bytes()))


def _key(sets: Sequence[BenchSet], model: str) -> str:
    """Return what changes with the data, the embedding model, and the code that makes features of them."""
    digest = hashlib.sha256(f"{model} ".encode())
    digest.update(" ".join(f"{each.name}={each.digest}" for each in sets).encode())
    kinds = ("libs/*/src/**/*.py", "services/*/src/**/*.py", "services/*/src/**/*.sql")
    for path in sorted(path for kind in kinds for path in SOURCES.glob(kind)):
        digest.update(f"\n{path.relative_to(SOURCES)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


async def _collect(
    sets: Sequence[BenchSet], model: str, environment: Environment
) -> list[QuestionSample]:
    asked: list[QuestionSample] = []
    async with own_target(environment, print) as target:
        await asyncio.to_thread(_switch_model, target.admin_url, model)
        for group in _groups(sets):
            datasets = tuple(dataset for _, dataset in group)
            for index, (name, world) in enumerate(group):
                async with namespace(target.settings, "train-") as client:
                    token, places = await fill(client, world, lambda text: None)
                    if not await wait_until_embedded(client, token, lambda text: None):
                        raise RuntimeError("nobody makes vectors")
                    for question in questions(datasets, index):
                        candidates, names, rows = await _ask(client, question, places)
                        values = np.array(rows, np.float32).reshape(len(rows), len(names))
                        asked.append(
                            QuestionSample(name, world.name, question, candidates, names, values)
                        )
                print(f"{name} {world.name}: {len(asked)} questions", flush=True)
    return asked


def _groups(sets: Sequence[BenchSet]) -> list[list[tuple[str, Dataset]]]:
    """Return datasets with the names of their sets, grouped so that each is asked the others' questions.

    The datasets of a set are a group. XQuAD in a language is one dataset, and is grouped with the packaged chat in that
    language.
    """
    groups = [[(each.name, dataset) for dataset in each.datasets] for each in sets]
    chats = next(
        (group for group, each in zip(groups, sets, strict=True) if each.name == CHATS), []
    )
    for group in groups:
        name = group[0][0]
        if name.startswith("xquad-"):
            language = name.removesuffix("-dev").rpartition("-")[2]
            mates = [chat for chat in chats if chat[1].name == f"dev-{language}"]
            group.extend(mates)
            for mate in mates:
                chats.remove(mate)
    return groups


def _switch_model(admin_url: str, model: str) -> None:
    """Make a packaged model the active one of an empty Everword."""
    generations = Generations(admin_url)
    if any(each.state == "active" and each.model == model for each in generations.list()):
        return
    described, _ = describe_model({"model": model, "tried": False})
    added = generations.add(described)
    generations.backfill(added)
    generations.switch(added)


async def _ask(
    client: Client, question: Question, places: dict[str, Place]
) -> tuple[list[str], Sequence[str], list[list[float]]]:
    request = pb.SearchRequest(
        query=question.query.text, page_size=PAGE_SIZE, explain=True, max_content_chars=1
    )
    candidates: list[str] = []
    names: Sequence[str] = ()
    rows: list[list[float]] = []
    while True:
        response = await client.search_service.Search(request)
        for result in response.results:
            features = result.explanation.features
            names = names or [feature.name for feature in features]
            candidates.append(places[result.memory.id].external_id)
            rows.append([feature.value for feature in features])
        # Foreign questions have no answer; only their best candidates are used for training.
        if question.foreign or not response.next_page_token:
            return candidates, names, rows
        request.page_token = response.next_page_token
