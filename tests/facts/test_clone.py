"""The comparison of the table with clones: small repositories with Go files of the shape that the projects have."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.facts.__main__ import main

_STATE: Final = """package statefile

type stateV4 struct {
	Version stateVersionV4 `json:"version"`
	Serial  uint64         `json:"serial"`%s
	hidden  string
	Skipped string         `json:"-"`
}

func read() {
	switch mode {
	case "managed", "data":
	}
}
"""
_PLAN: Final = 'package jsonplan\n\nconst (\n\tFormatVersion = "%s"\n)\n'
_BLOCKS: Final = """package configs

var terraformBlockSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "required_version"},
	},
	Blocks: []hcl.BlockHeaderSchema{
		{
			Type:       "backend",
			LabelNames: []string{"type"},
		},
	},
}

func decode() {
	body.Content(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "limit"}}})
}
"""
_BACKENDS: Final = """package init

func Init() {
	backends = map[string]backend.InitFn{
		"local": func() backend.Backend { return backendLocal.New() },
		%s
	}
	RemovedBackends = map[string]string{
		"etcd": `The "etcd" backend is not supported.`,
	}
}
"""
_PROTO: Final = """message Plan {
    // Version = 9;
    uint64 version = 1;
    oneof key {
        string name = 2;
    }
    enum Mode {
        NORMAL = 0;
    }
    repeated Change changes = 3;
}
"""
_FILES: Final = {
    "go.mod": "module github.com/opentofu/opentofu\n\ngo 1.24\n",
    "version/VERSION": "1.13.0-dev\n",
    "internal/states/statefile/version4.go": _STATE % "",
    "internal/states/statefile/version4_test.go": 'type other struct {\n\tA string `json:"a"`\n}\n',
    "internal/command/jsonplan/plan.go": _PLAN % "1.1",
    "internal/configs/parser_config.go": _BLOCKS,
    "internal/backend/init/init.go": _BACKENDS % "",
    "internal/backend/remote-state/oci/backend.go": '\t\t\tKmsKeyIdAttrName: {\n\t\t\t},\n\t\t\t"url": {\n',
    "internal/lang/functions.go": 'var m = map[string]F{\n\t\t"abs": stdlib.AbsoluteFunc,\n}\n\tm["type"] = f\n',
    "internal/encryption/keyprovider/aws_kms/descriptor.go": 'func (f d) ID() keyprovider.ID {\n\treturn "aws"\n}',
    "internal/encryption/keyprovider/aws_kms/config.go": 'type Config struct {\n\tA string `hcl:"region"`\n}\n',
    "internal/plans/planproto/planfile.proto": _PROTO,
}
_NAMES: Final = {
    "state member": {"stateV4.version", "stateV4.serial"},
    "state value": {"version4: managed", "version4: data"},
    "plan JSON": {"jsonplan.FormatVersion = 1.1"},
    "configuration": {"terraformBlockSchema.required_version", "terraformBlockSchema.backend {}", "decode.limit"},
    "backend": {"local", "etcd (removed)"},
    "backend argument": {"oci.kms_key_id", "oci.url"},
    "function": {"abs", "type"},
    "encryption": {"keyprovider aws", "keyprovider aws_kms.region"},
    "plan file": {"Plan.version = 1", "Plan.key.name = 2", "Plan.Mode.NORMAL = 0", "Plan.changes = 3"},
}


class _Repository:
    """A repository with a release 1.11, and a table that has recorded it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "clone"
        self.table = folder / "names.json"
        self.table.write_text("{}")
        self.folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.commit(_FILES)
        self.git("tag", "v1.11.0")

    def git(self, *arguments: str) -> str:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        named = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", *named, *arguments], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    def commit(self, files: dict[str, str]) -> str:
        for name, content in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(content)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "one")
        return self.git("rev-parse", "--short", "HEAD")

    def compare(self, *options: str) -> int:
        return main([str(self.folder), "--table", str(self.table), *options])


@pytest.fixture
def repository(tmp_path: Path) -> _Repository:
    found = _Repository(tmp_path)
    assert found.compare("--write") == 0
    return found


def test_names_of_all_groups(repository: _Repository) -> None:
    table = json.loads(repository.table.read_text())["opentofu"]
    # The main branch is the release that comes next.
    assert table["releases"] == ["1.11", "1.13"]
    assert {group: set(names) for group, names in table["names"].items()} == _NAMES
    assert {span for names in table["names"].values() for span in names.values()} == {"1.11-"}


def test_nothing_new(repository: _Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert repository.compare() == 0
    assert capsys.readouterr().out == "opentofu: 20 names of 2 releases, all in the table\n"


def test_what_a_release_brings_and_removes(repository: _Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.commit({"README.md": "unrelated"})
    member = repository.commit(
        {"internal/states/statefile/version4.go": _STATE % '\n\tOwner string `json:"owner,omitempty"`'}
    )
    # A prerelease, which the final release replaces.
    repository.git("tag", "v1.12.0-rc1")
    backend = repository.commit({"internal/backend/init/init.go": _BACKENDS % '"oci": func() backend.Backend {},'})
    plan = repository.commit({"internal/command/jsonplan/plan.go": _PLAN % "2.0"})
    repository.git("tag", "v1.12.0")
    assert repository.compare() == 1
    out = capsys.readouterr().out
    assert "opentofu 1.12 (v1.12.0) is not in the table\n" in out
    rows = [line.split() for line in out.splitlines() if line.startswith(("new ", "gone "))]
    assert rows == [
        ["new", "1.12", "to", "1.13", "backend", "oci", "internal/backend/init/init.go", backend],
        ["gone", "1.12", "to", "1.13", "plan", "JSON", "jsonplan.FormatVersion", "=", "1.1",
         "internal/command/jsonplan/plan.go", plan],
        ["new", "1.12", "to", "1.13", "plan", "JSON", "jsonplan.FormatVersion", "=", "2.0",
         "internal/command/jsonplan/plan.go", plan],
        ["new", "1.12", "to", "1.13", "state", "member", "stateV4.owner", "internal/states/statefile/version4.go",
         member],
    ]  # fmt: skip
    assert "- backend: BACKENDS in statefmt/store/backends/types.py\n" in out

    assert repository.compare("--write") == 0
    assert repository.compare() == 0
    names = json.loads(repository.table.read_text())["opentofu"]["names"]
    assert names["plan JSON"] == {"jsonplan.FormatVersion = 1.1": "1.11-1.11", "jsonplan.FormatVersion = 2.0": "1.12-"}


def test_a_bare_clone_of_terraform(repository: _Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    repository.commit({"go.mod": "module github.com/hashicorp/terraform\n"})
    repository.git("clone", "-q", "--bare", ".", str(tmp_path / "bare"))
    repository.folder = tmp_path / "bare"
    assert repository.compare() == 1
    assert "terraform 1.11 (v1.11.0) is not in the table\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (("rm", "-q", "go.mod"), "is not a clone of OpenTofu or Terraform"),
        (("tag", "-d", "v1.11.0"), "has no tags of releases: git fetch --tags"),
        (("tag", "v1.12.0"), "lacks 1.12: git fetch --tags"),
    ],
)
def test_clones_that_cannot_be_compared(
    prepare: tuple[str, ...], message: str, repository: _Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    repository.git(*prepare)
    if prepare[0] == "rm":
        repository.commit({})
    if prepare[-1] == "v1.12.0":
        assert repository.compare("--write") == 0
        repository.git("tag", "-d", "v1.12.0")
    assert repository.compare() == 2
    printed = capsys.readouterr()
    assert (printed.out, message in printed.err) == ("", True)


def test_another_repository(repository: _Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository.commit({"go.mod": "module example.com/other\n"})
    assert repository.compare() == 2
    assert "is not a clone of OpenTofu or Terraform" in capsys.readouterr().err
