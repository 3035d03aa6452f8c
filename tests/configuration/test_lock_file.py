"""`.terraform.lock.hcl`: the provider addresses in it, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from statefmt.configuration.provider_schemas import LOCK_FILE, locked_providers
from statefmt.model.errors import StoreError

# As `tofu init` writes it.
WRITTEN = """\
# This file is maintained automatically by "tofu init".
# Manual edits may be lost in future updates.

provider "registry.opentofu.org/hashicorp/aws" {
  version     = "5.31.0"
  constraints = "~> 5.0"
  hashes = [
    "h1:WwgMbMOhZblxZTdjHeJf9XB2/hcSHHmpuywLxuTWYw0=",
    "zh:0cdb9c2083bf0902442384f7309367791e4640581652dda456f2d6d7abf0de8d",
  ]
}

provider "tf.example.com/acme/acme" {
  version = "1.0.0"
}
"""


def test_providers(tmp_path: Path) -> None:
    (tmp_path / LOCK_FILE).write_text(WRITTEN)
    found = locked_providers(tmp_path / LOCK_FILE)
    assert found is not None
    assert list(map(str, found)) == ["registry.opentofu.org/hashicorp/aws", "tf.example.com/acme/acme"]


def test_no_file(tmp_path: Path) -> None:
    assert locked_providers(tmp_path / LOCK_FILE) is None
    (tmp_path / "state").write_text("")
    assert locked_providers(tmp_path / "state" / LOCK_FILE) is None


# The content, and what the message says after the name of the file.
REFUSED = [
    ('provider "hashicorp/aws" {\n}\n', ":1: the provider address 'hashicorp/aws' is not complete"),
    ('\nprovider "a/b/c/d" {\n}\n', ":2: Invalid provider source string"),
    ('provider "registry.terraform.io/-/aws" {\n}\n', ":1: Invalid provider namespace"),
    ('provider "registry.opentofu.org/hashicorp/aws" {\n', ":1: "),
    ("provider {\n}\n", ":1: "),
    ("\0", ":1: "),
]


@pytest.mark.parametrize(("content", "message"), REFUSED)
def test_refused(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / LOCK_FILE).write_text(content)
    with pytest.raises(StoreError) as refused:
        locked_providers(tmp_path / LOCK_FILE)
    assert str(refused.value).startswith(f"{tmp_path / LOCK_FILE}{message}")


def test_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(StoreError, match="not a regular file"):
            locked_providers(tmp_path / name)
