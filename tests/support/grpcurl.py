"""A `grpcurl` for shells, built on `buf curl`, which uses only the server's reflection."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: Stand-in for `grpcurl` that translates its arguments for `buf curl`.
_GRPCURL = """#!/usr/bin/env bash
[ "$1 $2" = "-plaintext -d" ] || exit 2
[ "$3" = @ ] && body=@- || body=$3
exec {buf} curl --protocol grpc --http2-prior-knowledge -H "authorization: Bearer {key}" -d "$body" "http://$4/$5"
"""


def with_grpcurl(folder: Path, key: str) -> dict[str, str]:
    """Write a `grpcurl` that sends `key` into a folder; return the environment of a shell that finds it."""
    shim = folder / "grpcurl"
    shim.write_text(_GRPCURL.format(buf=Path(sys.executable).with_name("buf"), key=key))
    shim.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
