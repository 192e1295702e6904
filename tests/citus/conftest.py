"""A running cluster and a distributed database.

`EVERWORD_TEST_CITUS` is the folder of a PostgreSQL with Citus, with `bin/postgres`; without it, tests are skipped.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.citus_cluster import Cluster, citus_programs, running_cluster
from support.citus_database import Distributed, distribute_filled


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    programs = citus_programs()
    with tempfile.TemporaryDirectory() as name:
        # PostgreSQL's user must be able to traverse the folder.
        Path(name).chmod(0o711)
        with running_cluster(programs, Path(name)) as cluster:
            yield cluster


@pytest.fixture(scope="session")
def distributed(cluster: Cluster) -> Distributed:
    return distribute_filled(cluster)
