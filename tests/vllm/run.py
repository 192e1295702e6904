"""Install a real vLLM, serve the embedding model with it, and run the checks against it: `make test-vllm`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from everword.embedded.ports import free_ports
from support.minilm import model_folder
from vllm.environment import vllm_command
from vllm.server import serving

CHECKS = [str(Path(__file__).with_name(name)) for name in ("checks.py", "ranking_checks.py")]
ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    folder = Path(os.environ.get("EVERWORD_VLLM_ENVIRONMENT") or ROOT / "build" / "vllm")
    command = vllm_command(folder)
    print("starting vLLM", flush=True)
    with serving(command, model_folder(), free_ports(1)[0], folder / "serve.log") as url:
        # In order, and with what they print: the figures belong to the result.
        checks = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:randomly", *CHECKS]
        # The reference multiplies small matrices: beside vLLM, threads that wait for each other cost it tenfold.
        more = {"EVERWORD_TEST_VLLM_URL": url, "OPENBLAS_NUM_THREADS": "1"}
        done = subprocess.run(checks, cwd=ROOT, env={**os.environ, **more}, check=False)
    print(f"test-vllm {'passed' if done.returncode == 0 else 'FAILED'}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
