"""A running cluster and a distributed database.

`EVERWORD_TEST_CITUS` is the folder of a PostgreSQL with Citus, with `bin/postgres`; without it, tests are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.citus_cluster import Cluster, temporary_cluster
from support.citus_database import Distributed, distribute_filled


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with temporary_cluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def distributed(cluster: Cluster) -> Distributed:
    return distribute_filled(cluster)
