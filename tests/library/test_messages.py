"""Messages name options on the command line and arguments in the library; errors name the address they are about."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import statefmt
from statefmt.cli.main import main
from tests.cli.states import SAMPLES, resource, state

_VPC: Final = 'aws_vpc.main["eu-west-1"]'
_PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"].by_region'
_STATE: Final = state(
    resource("aws_vpc", "main", {"index_key": "a", "attributes": {"id": "1", "n": 1, "l": [1]}}, {"index_key": "b"}),
    resource("aws_vpc", "other", {"attributes": {"id": "2"}}, provider='provider["registry.opentofu.org/acme/aws"]'),
    resource("aws_vpc", "gone", {"deposed": "00000001", "attributes": {"id": "3"}}),
    resource("aws_ami", "data", {"attributes": {"id": "4"}}, mode="data"),
    resource("aws_vpc", "inside", {"attributes": {"id": "5"}}, module="module.m"),
)


class Refusal(NamedTuple):
    """An edit as a method and as a command, the address that its refusal is about, and how that words a part."""

    method: Callable[[statefmt.Transaction], None]
    command: list[str]
    address: str | None
    argument: str = ""
    option: str = ""


_REFUSALS: Final = {
    "move, taken": Refusal(
        lambda edit: edit.move('aws_vpc.main["a"]', 'aws_vpc.main["b"]'),
        ["mv", 'aws_vpc.main["a"]', 'aws_vpc.main["b"]'],
        'aws_vpc.main["a"]',
    ),
    "move, another type": Refusal(
        lambda edit: edit.move("aws_vpc.other", "aws_ami.other"),
        ["mv", "aws_vpc.other", "aws_ami.other"],
        "aws_vpc.other",
    ),
    "move, another provider": Refusal(
        lambda edit: edit.move("aws_vpc.other", 'aws_vpc.main["c"]'),
        ["mv", "aws_vpc.other", 'aws_vpc.main["c"]'],
        'aws_vpc.main["c"]',
        "rebind=True",
        "--rebind",
    ),
    "move, several to one": Refusal(
        lambda edit: edit.move("aws_vpc.*", "aws_vpc.x"), ["mv", "aws_vpc.*", "aws_vpc.x"], "aws_vpc.x"
    ),
    "remove, no match": Refusal(lambda edit: edit.remove("aws_vpc.absent"), ["rm", "aws_vpc.absent"], "aws_vpc.absent"),
    "remove, the name of a state": Refusal(
        lambda edit: edit.remove("prod.tfstate"),
        ["rm", "prod.tfstate"],
        "prod.tfstate",
        "statefmt.open('prod.tfstate')",
        "--state prod.tfstate",
    ),
    "remove, a type": Refusal(
        lambda edit: edit.remove("aws_vpc"), ["rm", "aws_vpc"], "aws_vpc", "type='aws_vpc'", "--type aws_vpc"
    ),
    "remove, nothing": Refusal(lambda edit: edit.remove(), ["rm"], None, "a filter;", "a filter option;"),
    "rekey, no such key": Refusal(
        lambda edit: edit.rekey("aws_vpc.main", keys={"x": "y"}),
        ["rekey", "aws_vpc.main", "--map", "x=y"],
        "aws_vpc.main",
    ),
    "rekey, the same key twice": Refusal(
        lambda edit: edit.rekey("aws_vpc.main", keys={"a": "c", "b": "c"}),
        ["rekey", "aws_vpc.main", "--map", "a=c,b=c"],
        "aws_vpc.main",
    ),
    "rekey, no attribute": Refusal(
        lambda edit: edit.rekey("aws_vpc.other", by="name"), ["rekey", "aws_vpc.other", "--by", "name"], "aws_vpc.other"
    ),
    "rekey, a module by an attribute": Refusal(
        lambda edit: edit.rekey("module.m", by="id"),
        ["rekey", "module.m", "--by", "id"],
        "module.m",
        "keys= instead of by=",
        "--map instead of --by",
    ),
    "rebind, a part": Refusal(
        lambda edit: edit.rebind('aws_vpc.main["a"]', "aws.west", new_provider=True),
        ["rebind", 'aws_vpc.main["a"]', "aws.west", "--new-provider"],
        "aws_vpc.main",
        "whole_resource=True",
        "--whole-resource",
    ),
    "rebind, another provider": Refusal(
        lambda edit: edit.rebind("aws_vpc.other", 'provider["acme/x"]', new_provider=True),
        ["rebind", "aws_vpc.other", 'provider["acme/x"]', "--new-provider"],
        "aws_vpc.other",
        "replace_provider()",
        "`statetool replace-provider`",
    ),
    "rebind, no alias": Refusal(
        lambda edit: edit.rebind("aws_vpc.other", keys={None: "x"}, new_provider=True),
        ["rebind", "aws_vpc.other", "--map", "=x", "--new-provider"],
        "aws_vpc.other",
    ),
    "rebind, an unknown provider": Refusal(
        lambda edit: edit.rebind("aws_vpc.other", "aws.west"),
        ["rebind", "aws_vpc.other", "aws.west"],
        'provider["registry.opentofu.org/acme/aws"].west',
        "pass new_provider=True",
        "--new-provider",
    ),
    "replace a provider, unused": Refusal(
        lambda edit: edit.replace_provider("acme/absent", "acme/new", new_provider=True),
        ["replace-provider", "acme/absent", "acme/new", "--new-provider"],
        "registry.opentofu.org/acme/absent",
    ),
    "replace a provider, an instance": Refusal(
        lambda edit: edit.replace_provider('provider["acme/x"].a["b"]', 'provider["acme/x"]'),
        ["replace-provider", 'provider["acme/x"].a["b"]', 'provider["acme/x"]'],
        'provider["acme/x"].a["b"]',
        "rebind()",
        "`statetool rebind`",
    ),
    "taint, a data source": Refusal(
        lambda edit: edit.taint("data.aws_ami.data"), ["taint", "data.aws_ami.data"], "data.aws_ami.data"
    ),
    "taint, only deposed": Refusal(lambda edit: edit.taint("aws_vpc.gone"), ["taint", "aws_vpc.gone"], "aws_vpc.gone"),
    "untaint, not tainted": Refusal(
        lambda edit: edit.untaint("aws_vpc.other"), ["untaint", "aws_vpc.other"], "aws_vpc.other"
    ),
    "untaint, two not tainted": Refusal(lambda edit: edit.untaint("aws_vpc.main"), ["untaint", "aws_vpc.main"], None),
    "forget deposed, none": Refusal(
        lambda edit: edit.forget_deposed("aws_vpc.other"), ["forget-deposed", "aws_vpc.other"], "aws_vpc.other"
    ),
    "set, another type": Refusal(
        lambda edit: edit.set('aws_vpc.main["a"]', {"n": "x"}),
        ["set", 'aws_vpc.main["a"]', 'n="x"'],
        'aws_vpc.main["a"]',
        "force_type=True",
        "--force-type",
    ),
    "set, only deposed": Refusal(
        lambda edit: edit.set("aws_vpc.gone", {"id": "x"}), ["set", "aws_vpc.gone", 'id="x"'], "aws_vpc.gone"
    ),
    "unset, no such path": Refusal(
        lambda edit: edit.unset("aws_vpc.other", "name"), ["unset", "aws_vpc.other", "name"], "aws_vpc.other"
    ),
    "unset, an element": Refusal(
        lambda edit: edit.unset('aws_vpc.main["a"]', "l[0]"),
        ["unset", 'aws_vpc.main["a"]', "l[0]"],
        'aws_vpc.main["a"]',
    ),
    "set the serial": Refusal(lambda edit: edit.set_serial(2**64), ["set-serial", str(2**64)], None),
}


@pytest.mark.parametrize("case", _REFUSALS)
def test_a_refusal(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = _REFUSALS[case]
    monkeypatch.chdir(tmp_path)
    Path("x.tfstate").write_bytes(_STATE)
    with pytest.raises(statefmt.StatetoolError) as caught, statefmt.open("x.tfstate").edit() as edit:
        refusal.method(edit)
    error = caught.value
    assert (error.address, error.location) == (refusal.address, "x.tfstate")
    assert refusal.argument in str(error)
    assert "--" not in str(error)
    printed = _printed([*refusal.command, "--yes", "--state", "x.tfstate"])
    assert refusal.option in printed
    if refusal.option != "--new-provider":
        # That command adds the option to its own command line, to copy.
        assert printed.split() == f"statetool: {error.on_command_line}".split()
    assert Path("x.tfstate").read_bytes() == _STATE


def test_every_operation_has_a_refusal() -> None:
    operations = {name for name, value in vars(statefmt.Transaction).items() if callable(value) and name[0] != "_"}
    named = {name for refusal in _REFUSALS.values() for name in refusal.method.__code__.co_names}
    # Those that only look or end the edit, the one that takes any function, and the one that only fails for the same
    # lineage.
    assert operations - named == {"select", "preview", "propose", "cancel", "apply", "new_lineage"}


def test_a_file_that_exists(tmp_path: Path) -> None:
    path, out = tmp_path / "x.tfstate", tmp_path / "y.tfstate"
    for each in (path, out):
        shutil.copyfile(SAMPLES / "v4-regions.tfstate", each)
    with pytest.raises(statefmt.StoreError) as caught, statefmt.open(path).edit(out=out) as edit:
        edit.taint(_VPC)
    assert str(caught.value).endswith("overwrite=True replaces it and keeps a backup")
    assert caught.value.on_command_line.endswith("--yes replaces it and keeps a backup")


def test_an_encrypted_state(tmp_path: Path) -> None:
    with pytest.raises(statefmt.EncryptedStateError) as caught:
        statefmt.read(b'{"meta":{},"encrypted_data":"eA==","encryption_version":"v0"}')
    assert "encryption=…" in str(caught.value)
    assert "--" not in str(caught.value)
    assert "--encryption FILE" in caught.value.reasons[0].detail


def test_sensitive_values_are_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "x.tfstate"
    hidden = {"attributes": {"p": "x"}, "sensitive_attributes": [[{"type": "get_attr", "value": "p"}]]}
    path.write_bytes(state(resource("a", "b", hidden)))
    with pytest.raises(statefmt.SelectionError, match=r"because p is sensitive there$"):
        statefmt.open(path).select(where="p=x")
    assert "sensitive there; use --show-sensitive to compare all" in " ".join(
        _printed(["list", "--where", "p=x", "--state", str(path)]).split()
    )


def _printed(command: list[str]) -> str:
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as messages:
        assert main(command) == 2
    return messages.getvalue()
