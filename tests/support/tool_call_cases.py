"""Thirty tool calls as agents send them, each with the words that its sentence must contain; ten were written last."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from everword_compactor.outcomes.sentence import Call


class Case(NamedTuple):
    """A call, and words that its sentence must contain."""

    call: Call
    facts: tuple[str, ...]


def _case(name: str, args: Any, result: Any, *facts: str) -> Case:
    written = [each if isinstance(each, str) else json.dumps(each) for each in (args, result)]
    return Case(Call(name, *written), facts)


PYTEST = """\
....F..F
=================================== FAILURES ===================================
    def test_expiry():
>       assert token.expired
E       assert False
=========================== short test summary info ============================
FAILED tests/unit/test_login.py::test_expiry - assert False
FAILED tests/unit/test_login.py::test_logout - KeyError: 'user'
================== 2 failed, 31 passed, 1 skipped in 3.21s =====================
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "/srv/app/jobs/sync.py", line 88, in run
    rate = total / len(orders)
ZeroDivisionError: division by zero
"""
PSQL = " id | email\n----+---------\n  1 | a@b.test\n  2 | c@d.test\n(37 rows)\n"
PATCH = """\
*** Begin Patch
*** Update File: src/limits.py
@@ def retries():
-    return 3
+    return 5
*** End Patch"""

#: Cases used while the sentences were developed.
BUILT_WITH = (
    _case(
        "bash", {"command": "pytest -q tests/unit"}, PYTEST, "2 failed, 31 passed", "test_expiry"
    ),
    _case(
        "http_request",
        {"method": "post", "url": "https://api.example.com/v1/orders", "body": {"quantity": -1}},
        {
            "status": 422,
            "body": {"detail": [{"loc": ["body", "quantity"], "msg": "must be positive"}]},
        },
        *(
            "POST https://api.example.com/v1/orders",
            "422 Unprocessable",
            "body.quantity: must be positive",
        ),
    ),
    _case("run_sql", {"query": "SELECT id, email FROM users"}, PSQL, "37 rows"),
    _case("run_sql", {"sql": "SELECT count(*) FROM users"}, [{"count": 412}], "1 row", "412"),
    _case(
        "db", {"sql": "SELECT * FROM orders"}, {"rows": [{"id": n} for n in range(37)]}, "37 rows"
    ),
    _case(
        "Edit",
        {
            "file_path": "src/settings.py",
            "old_string": "import os\ntimeout = 30\n",
            "new_string": "import os\ntimeout = 60\n",
        },
        "The file src/settings.py has been updated.",
        *("src/settings.py", "“timeout = 30” → “timeout = 60”"),
    ),
    _case(
        "str_replace_editor",
        {"command": "str_replace", "path": "a.py", "old_str": "foo()", "new_str": "bar()"},
        "No replacement was performed, old_str `foo()` did not appear verbatim in a.py.",
        *("a.py", "failed", "did not appear verbatim"),
    ),
    _case(
        "write_file",
        {"path": "notes.md", "content": "# Plan\n- a\n- b\n"},
        "ok",
        "3 lines",
        "notes.md",
    ),
    _case("apply_patch", {"input": PATCH}, "Success.", "src/limits.py", "“return 3” → “return 5”"),
    _case(
        "shell",
        {"command": ["bash", "-lc", "cargo build"]},
        {
            "output": "error[E0308]: mismatched types\n --> src/main.rs:4:5\n",
            "metadata": {"exit_code": 101},
        },
        *("cargo build", "mismatched types", "exit code 101"),
    ),
    _case("python", {"code": "sync.run()"}, TRACEBACK, "ZeroDivisionError", "sync.py, line 88"),
    _case(
        "web_search",
        {"query": "pgvector hnsw"},
        {"results": [{"title": "HNSW in pgvector"}, {"title": "Indexes"}], "total": 128},
        *("128 results", "HNSW in pgvector"),
    ),
    _case(
        "grep",
        {"pattern": "TODO", "path": "src"},
        "src/a.py:3:# TODO x\nsrc/a.py:9:# TODO y\nsrc/b.py:1:# TODO\n",
        *("3 matches", "2 files"),
    ),
    _case(
        "create_event",
        {"title": "Standup", "start": "2026-03-02T09:00"},
        {"id": "evt_1", "status": "confirmed", "htmlLink": "https://cal.test/x"},
        *("status confirmed", "evt_1"),
    ),
    _case("get_weather", {"city": "Bern"}, {"temp_c": 17, "condition": "Rain"}, "17", "Rain"),
    _case(
        "bash",
        {"command": "terraform apply -auto-approve"},
        "...\nApply complete! Resources: 2 added, 1 changed, 0 destroyed.\n",
        "2 added, 1 changed, 0 destroyed",
    ),
    _case(
        "bash",
        {"command": "npm test"},
        "Test Suites: 1 failed, 3 passed, 4 total\nTests:       2 failed, 31 passed, 33 total\n",
        "2 failed, 31 passed, 33 total",
    ),
    _case(
        "mcp__files__list",
        {"path": "."},
        {"content": [{"type": "text", "text": "a.py\nb.py\nsrc/c.py\nd.md"}], "isError": False},
        "4 files",
    ),
    _case("get_order", {"order_id": "#W1"}, "Error: order not found", "#W1", "order not found"),
    _case("fetch", {"url": "https://a.test/b"}, "HTTP/1.1 404 Not Found\n\nnope", "404 Not Found"),
)

MAVEN = """\
[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   InvoiceServiceTest.roundsHalfUp:57 expected: <10.13> but was: <10.12>
[INFO]
[ERROR] Tests run: 118, Failures: 1, Errors: 0, Skipped: 4
[INFO]
[INFO] ------------------------------------------------------------------------
[INFO] BUILD FAILURE
"""
NODE = """\
/srv/web/server.js:41
    throw err;
    ^

Error: listen EADDRINUSE: address already in use :::3000
    at Server.setupListenHandle [as _listen2] (node:net:1817:16)
    at listenInCluster (node:net:1865:12) {
  code: 'EADDRINUSE',
  port: 3000
}
Node.js v20.11.0
"""
MYSQL = """\
+----+----------+---------+
| id | customer | total   |
+----+----------+---------+
|  7 | Ana      | 1240.00 |
|  9 | Bo       |  310.50 |
+----+----------+---------+
2 rows in set (0.01 sec)
"""
RIPGREP = """\
Found 5 files
src/api/auth.ts
src/api/session.ts
src/lib/token.ts
test/auth.test.ts
test/token.test.ts
"""

#: Cases written after the sentences were developed; at least 8 of 10 must state their outcome.
HELD_OUT = (
    _case(
        "run_command",
        {"CommandLine": "mvn -q test", "Cwd": "/srv/billing"},
        MAVEN,
        "Failures: 1|1 fail",
        "118",
    ),
    _case(
        "execute_bash",
        {"command": "node server.js"},
        {"stdout": "", "stderr": NODE, "exit_code": 1},
        "EADDRINUSE",
        "1",
    ),
    _case(
        "mysql_query",
        {"query": "select id, customer, total from invoices where paid = 0"},
        MYSQL,
        "2 rows",
    ),
    _case(
        "graphql",
        {"query": "mutation { closeIssue(id: 12) { id } }"},
        {
            "data": None,
            "errors": [
                {
                    "message": "Could not resolve to a node with the global id of '12'",
                    "path": ["closeIssue"],
                }
            ],
        },
        "Could not resolve to a node",
    ),
    _case(
        "github_create_pull_request",
        {
            "owner": "acme",
            "repo": "shop",
            "title": "Round half up",
            "head": "fix-rounding",
            "base": "main",
        },
        {
            "id": 1837460021,
            "number": 482,
            "state": "open",
            "html_url": "https://github.com/acme/shop/pull/482",
            "user": {"login": "opus"},
            "mergeable": None,
        },
        *("482", "open"),
    ),
    _case(
        "cancel_pending_order",
        {"order_id": "#W5199551", "reason": "no longer needed"},
        {
            "order_id": "#W5199551",
            "user_id": "ana_li_4121",
            "status": "cancelled",
            "items": [
                {"name": "Water Bottle", "price": 50.12},
                {"name": "Desk Lamp", "price": 139.9},
            ],
            "payment_history": [{"transaction_type": "refund", "amount": 190.02}],
        },
        *("#W5199551", "cancelled"),
    ),
    _case(
        "Grep", {"pattern": "verifyToken", "output_mode": "files_with_matches"}, RIPGREP, "5 files"
    ),
    _case(
        "edit_file",
        {
            "target_file": "deploy/values.yaml",
            "edits": [
                {"oldText": "replicas: 2\n", "newText": "replicas: 4\n"},
                {"oldText": "memory: 512Mi", "newText": "memory: 1Gi"},
            ],
        },
        "Applied 2 edits to deploy/values.yaml",
        *("deploy/values.yaml", "“replicas: 2” → “replicas: 4”"),
    ),
    _case(
        "kubectl",
        {"args": "rollout status deployment/api -n prod --timeout=60s"},
        'Waiting for deployment "api" rollout to finish: 1 out of 3 new replicas have been updated...\n'
        "error: timed out waiting for the condition\n",
        "timed out waiting for the condition",
    ),
    _case(
        "http.get",
        {"url": "https://status.example.com/api/health", "headers": {"Accept": "application/json"}},
        {
            "statusCode": 503,
            "headers": {"retry-after": "30"},
            "body": '{"error":"upstream_unavailable","retry_in":30}',
        },
        *("503 Service Unavailable", "upstream_unavailable"),
    ),
)
