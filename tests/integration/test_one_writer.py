"""The index and the job queue are each written in one place."""

from __future__ import annotations

import re

from support.isolation import all_statements

WRITERS = {
    r"(insert into|delete from) (visible_)?memories\b|insert_passages\(": {"everword.index"},
    r"insert into embedding_queue\b": {"everword.index"},
    r"insert into author_names\b": set(),
    r"insert into jobs\b|enqueue_jobs\(": {"everword.jobs"},
}


def test_index_and_job_queue_are_each_written_by_one_package() -> None:
    found: dict[str, set[str]] = {writer: set() for writer in WRITERS}
    for package, statement in all_statements():
        for writer in WRITERS:
            if re.search(writer, " ".join(statement.sql.lower().split())):
                found[writer].add(package)
    assert found == WRITERS
