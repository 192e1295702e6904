"""Background work: the table `jobs` is both outbox and durable state; Redis with RQ only carries wake-ups.

A write upserts its job in its own transaction. A publisher enqueues `{namespace_id, job_id, fence}` after the commit. A
worker starts the job in PostgreSQL, which gives it a lease and a fencing token, runs the task, and records the result
under that fencing token. A sweep recovers lost wake-ups and jobs. So work is done at least once, and a result counts
once.
"""
