"""Install a real vLLM, serve models with it, and run the checks against it: `make test-vllm`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from everword.embedded.ports import free_ports
from support.minilm import model_folder
from vllm.environment import chat_model_folder, vllm_command
from vllm.server import CHAT, EMBEDDING, serving

#: Checks of the embedding server, and of the chat server.
EMBEDDING_CHECKS = ["checks.py", "ranking_checks.py"]
CHAT_CHECKS = ["compaction_checks.py", "sleep_checks.py"]
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    folder = Path(os.environ.get("EVERWORD_VLLM_ENVIRONMENT") or ROOT / "build" / "vllm")
    command = vllm_command(folder)
    passed = True
    # One by one: two servers would share two cores.
    for model, options, checks in (
        (model_folder(), EMBEDDING, EMBEDDING_CHECKS),
        (chat_model_folder(folder), CHAT, CHAT_CHECKS),
    ):
        print(f"starting vLLM with {options[1]}", flush=True)
        log = folder / f"serve-{options[1]}.log"
        with serving(command, model, options, free_ports(1)[0], log) as url:
            passed = _check(url, checks) and passed
    print(f"test-vllm {'passed' if passed else 'FAILED'}")
    return 0 if passed else 1


def _check(url: str, checks: Sequence[str]) -> bool:
    """Run checks in order and show their output, since the figures belong to the result."""
    files = [str(Path(__file__).with_name(name)) for name in checks]
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:randomly", *files]
    # With several threads, the reference's small matrix products take ten times as long next to vLLM.
    more = {"EVERWORD_TEST_VLLM_URL": url, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **more}, check=False)
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
