"""A real `vllm serve` on the CPU: of all-MiniLM-L6-v2, or of a small chat model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2

MODEL = "all-MiniLM-L6-v2"
CHAT_MODEL = "smollm2"
#: Dimensions to which the server may truncate vectors.
SIZES = [64, 128, 256, 384]
START_S = 300.0
#: Seconds until a kill: a request in flight would keep vLLM from stopping for minutes.
STOP_S = 10.0
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
}


#: How each model is served.
EMBEDDING = ["--served-model-name", MODEL, "--runner", "pooling", "--dtype", "float32"]
EMBEDDING += ["--hf-overrides", json.dumps({"matryoshka_dimensions": SIZES})]
CHAT = ["--served-model-name", CHAT_MODEL, "--max-model-len", "4096", "--max-num-seqs", "8"]


@contextmanager
def serving(
    command: Path, model: Path, options: Sequence[str], port: int, log: Path
) -> Iterator[str]:
    """Serve `model` while the block lasts; yield the server's URL. Raises RuntimeError if it does not start."""
    arguments = [*options, "--enforce-eager", "--host", "127.0.0.1", "--port", str(port)]
    # Everword's PYTHONPATH contains a package of that name as well.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with log.open("w") as output:
        process = subprocess.Popen(
            [command, "serve", model, *arguments],
            env={**inherited, **_ENVIRONMENT},
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # The workers are stopped with the server.
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait(process, url, log)
            yield url
        finally:
            _stop(process)


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            if httpx2.get(f"{url}/health", timeout=2).status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.5)
    last = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
    raise RuntimeError(f"vLLM did not start; the end of {log}:\n{last}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
