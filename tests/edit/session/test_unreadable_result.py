"""A canonical form that nothing could read again is not written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from statefmt.cli.main import main

# Provider names with an underscore were possible before Terraform 0.13, and have no address since.
OLD_NAME = {
    "version": 3,
    "serial": 1,
    "modules": [
        {
            "path": ["root"],
            "resources": {
                "my_cloud_vm.a": {"type": "my_cloud_vm", "primary": {"id": "1"}, "provider": "provider.my_cloud"}
            },
        }
    ],
}


@pytest.mark.parametrize("arguments", [[], ["-o", "new.tfstate"], ["--in-place"]], ids=["stdout", "out", "in place"])
def test_upgrade_refuses(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    old = json.dumps(OLD_NAME)
    (tmp_path / "old.tfstate").write_text(old, encoding="utf-8")
    assert main(["upgrade", "--registry", "keep", "old.tfstate", *arguments]) == 2
    captured = capfd.readouterr()
    assert captured.out == ""
    assert "my_cloud" in captured.err
    assert [path.name for path in tmp_path.iterdir()] == ["old.tfstate"]
    assert (tmp_path / "old.tfstate").read_text(encoding="utf-8") == old
