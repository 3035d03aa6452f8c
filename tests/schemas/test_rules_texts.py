"""Which release versions, legacy addresses and module paths the schemas take, a case a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.tables import each_row

Check = Callable[..., bool]
# Takes members of a document; gives the formats that it is valid in, as a text such as "23".
Formats = Callable[[dict[str, Any]], str]

# As terraform_version of formats 2 to 4.
RELEASES = {
    "1.9.4": True,
    "v1.9": True,
    "1": True,
    "1.2.3.4.5": True,
    "0.12.0-beta1": True,
    "1.2.3beta.1+m": True,
    "1.2.3+build.5": True,
    "1.2-": True,
    "01.002": True,
    "00000000000000000000000000001": True,
    "": True,
    "latest": False,
    "1.2.x": False,
    "1.9.": False,
    " 1.9.4": False,
    "1.9.4 ": False,
    "1.9.4\n": False,
    "\n": False,
    "-1.2": False,
    "V1.2": False,
    "1.2.3+": False,
    "1.2.3-a..b": False,
    "1.2.3-ä": False,
    "99999999999999999999": False,
}

# Keys of `resources` in formats 1 to 3.
LEGACY_ADDRESSES = {
    "aws_instance.web": True,
    "aws_instance.web.0": True,
    "aws_instance.web.-1": True,
    "aws_instance.web.0x1F": True,
    "aws_instance.web.0b1_0": True,
    "aws_instance.web.0o17": True,
    "aws_instance.web.017": True,
    "aws_instance.web.1_000": True,
    "aws_instance.web[0]": True,
    "aws_instance.": True,
    "data.aws_ami": True,
    "data.aws_ami.base": True,
    "data.aws_ami.base.2": True,
    "data.data.data": True,
    "database.main.1": True,
    "aws_instance": False,
    "": False,
    "aws_instance.web.x": False,
    "aws_instance.web.": False,
    "aws_instance.web.1.0": False,
    "aws_instance.web.08": False,
    "aws_instance.web.1__0": False,
    "aws_instance.web._1": False,
    "aws_instance.web.0x": False,
    "aws_instance.web.0\n": False,
    "data.aws_ami.base.x": False,
    "data.aws_ami.base.1.2": False,
    "database.aws_ami.base": False,
    "module.network.aws_vpc.main": False,
}

# Paths that stand for the root module in format 1, and for nothing later.
ABSENT_PATHS: list[Any] = [None, []]

# Paths, in all three formats.
PATHS = [
    (["root"], True),
    (["root", "network"], True),
    (["root", "my-net_2", "größe", "_x"], True),
    (["root", " network\t"], True),
    (["network"], False),
    (["root", "a.b"], False),
    (["root", "a b"], False),
    (["root", ""], False),
    (["root", "0"], False),
    (["root", "-a"], False),
    (["root", "a\n"], False),
    (["root", None], False),
    ([None], False),
    ("root", False),
]


@each_row(("release", "valid"), RELEASES.items(), ids=repr)
def test_terraform_version(release: str, valid: bool, v4: Check, legacy: Formats) -> None:
    assert v4(terraform_version=release) == valid
    assert legacy({"terraform_version": release}) == ("123" if valid else "1")


@each_row(("address", "valid"), LEGACY_ADDRESSES.items(), ids=repr)
def test_legacy_address(address: str, valid: bool, legacy: Formats) -> None:
    module = {"path": ["root"], "resources": {address: {}}}
    assert legacy({"modules": [module]}) == ("123" if valid else "")


@each_row(("path", "valid"), PATHS, ids=str)
def test_legacy_path(path: Any, valid: bool, legacy: Formats) -> None:
    assert legacy({"modules": [{"path": path}]}) == ("123" if valid else "")


@pytest.mark.parametrize("path", ABSENT_PATHS, ids=str)
def test_legacy_path_absent(path: Any, legacy: Formats) -> None:
    assert legacy({"modules": [{"path": path}]}) == "1"
