"""`migrate --distributed` on databases that cannot be distributed; tests/citus has the others."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from everword.cli.migrate import migrate as command
from everword.db.distribution import DistributionError
from everword.db.migrate import migrate
from support.databases import empty_database


def test_migrate_distributed_without_citus_changes_nothing(postgres_url: str) -> None:
    with empty_database(postgres_url) as url:
        with pytest.raises(DistributionError, match="has no extension citus; add citus to shared_"):
            migrate(url, distributed=True)
        done = CliRunner().invoke(command, ["--url", url, "--distributed"])
        assert done.exit_code == 1
        assert "has no extension citus" in done.output
        assert migrate(url) != []
