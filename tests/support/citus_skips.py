"""Tests that cannot run on a distributed database, with the reasons."""

from __future__ import annotations

import re

_ONE_SERVER_PLANS = "reads the plans of one server"
_NO_FILTERS = "runs statements without their namespace, which Citus refuses or sends to every node"
_ONE_SERVER_LOCKS = "looks at the locks of one server"
#: Reasons by a pattern of test ids.
_REASONS = {
    r"test_\w+_plans\.py": _ONE_SERVER_PLANS,
    r"test_partitions\.py": "a distributed database has shards instead of partitions",
    r"test_arrays\.py|::\w+_(without|until)_pgvector": "a distributed database requires pgvector",
    r"test_backup\.py": "a distributed database is backed up node by node",
    r"test_isolation_grants\.py": "on nodes, callers read the tables behind views with their own rights",
    r"::test_erasure_preview_blocks_neither": _ONE_SERVER_LOCKS,
    r"::test_maintenance_call_during_namespace_deletion": _ONE_SERVER_LOCKS,
    r"::test_summary_stored_during_namespace_deletion": _ONE_SERVER_LOCKS,
    r"::test_postponed_jobs_are_woken_in_lock_order": _ONE_SERVER_LOCKS,
    r"test_isolation_statements\.py": _NO_FILTERS,
    r"test_isolation_rpcs\.py::\w+_without_filters_of_services": _NO_FILTERS,
}


def reason_to_skip(test_id: str) -> str:
    """Return why a test cannot run on a distributed database; empty if it can."""
    return next((reason for form, reason in _REASONS.items() if re.search(form, test_id)), "")
