"""The protos can be built, linted and compared from a bare clone, without the network."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from buf.validate import validate_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from protovalidate._gen.buf.validate import validate_pb

ROOT = Path(__file__).parents[2]
BUF = Path(sys.executable).parent / "buf"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the protos of this working tree, committed or not, and nothing else."""
    folder = tmp_path_factory.mktemp("clone")
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "buf.yaml", "protos"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    for name in listed.stdout.splitlines():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    who = ("-c", "user.name=test", "-c", "user.email=test@example.com")
    for command in (("init", "-qb", "main"), ("add", "."), (*who, "commit", "-qm", "Protos")):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def buf(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # An unreachable proxy, so that any network access fails.
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(clone), "HTTPS_PROXY": "http://127.0.0.1:1"}
    return subprocess.run(
        [BUF, *arguments], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "command", ["build", "lint", "format --exit-code", "breaking --against .git#branch=main"]
)
def test_buf_passes_on_a_bare_clone(clone: Path, command: str) -> None:
    done = buf(clone, *command.split())
    assert done.returncode == 0, done.stdout + done.stderr


def test_buf_breaking_reports_a_renamed_field(clone: Path) -> None:
    path = clone / "protos/public/everword/v1/search_service.proto"
    text = path.read_text()
    path.write_text(text.replace("string query = 1 ", "string question = 1 "))
    done = buf(clone, "breaking", "--against", ".git#branch=main")
    path.write_text(text)
    assert 'from "query" to "question"' in done.stdout


def test_vendored_validation_rules_equal_those_of_the_validator() -> None:
    known, vendored = FileDescriptorProto(), FileDescriptorProto()
    known.ParseFromString(validate_pb.desc().proto.to_binary())
    validate_pb2.DESCRIPTOR.CopyToProto(vendored)
    # Options that buf's registry adds for other languages.
    known.ClearField("options")
    vendored.ClearField("options")
    assert vendored == known
