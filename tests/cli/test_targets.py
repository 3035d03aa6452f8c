"""The targets of edits: what neither the state nor the configuration knows is refused, and the nearest is named."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.conftest import Statetool
from tests.cli.targets import GOOGLE, write_targets

US = 'module.cluster["us-east1"]'
EU = 'module.cluster["eu-west1"]'
CONFIG = ("--config", ".")


@pytest.fixture(autouse=True)
def targets(folder: Path) -> bytes:
    write_targets(folder)
    return (folder / "terraform.tfstate").read_bytes()


# The target of `rebind`, with or without a configuration, and what the refusal says, None if it is done.
REBOUND = [
    ('google.geo["eu-west1"]', False, None),
    (f'{GOOGLE}.geo["eu-west1"]', False, None),
    ('google.geo["eu-west1"]', True, None),
    # The trial: an alias that exists nowhere.
    ('google.goe["us-east1"]', True, 'declare google.goe; did you mean one of these: google.geo["us-east1"]'),
    ('google.goe["us-east1"]', False, 'bound to google.goe; did you mean one of these: google.geo["us-east1"]'),
    # A key that nobody uses, and one that only the configuration has.
    ('google.geo["us-eats1"]', False, 'bound to google.geo["us-eats1"]; did you mean one of these: google.geo["us-e'),
    ('google.geo["us-eats1"]', True, 'google.geo has no key ["us-eats1"]; did you mean one of these: google.geo["us'),
    (
        'google.geo["asia"]',
        False,
        'no resource in the state is bound to google.geo["asia"]; did you mean one of these: google.geo["us',
    ),
    ('google.geo["asia"]', True, None),
    # No key where keys are needed, and a key where there are none.
    ("google.geo", False, 'the state uses google.geo only with a key: ["eu-west1"], ["us-east1"]. If this'),
    ("google.geo", True, 'google.geo has for_each in the configuration, so a key is required: ["asia"], ["eu-west1"]'),
    ('google.plain["eu-west1"]', True, 'google.plain has no for_each in the configuration, so it has no instance ["eu'),
    ("google.plain", True, None),
    ("google.plain", False, "no resource in the state is bound to google.plain; "),
    # A for_each that is not known: any key may be right, but no key is wrong.
    ('google.late["eu-west1"]', True, None),
    ("google.late", True, "google.late has for_each in the configuration, so a key is required."),
    # The default configuration of a provider always exists.
    ("google", False, None),
    ("google", True, None),
    # In a module, by its full address only.
    (f"module.cluster.{GOOGLE}.geo", False, f"bound to module.cluster.{GOOGLE}.geo; there are: google.geo["),
    (f"module.cluster.{GOOGLE}.geo", True, f"does not declare module.cluster.{GOOGLE}.geo; did you mean"),
]


@pytest.mark.parametrize(("target", "configured", "message"), REBOUND)
def test_rebind(
    target: str, configured: bool, message: str | None, targets: bytes, folder: Path, statetool: Statetool
) -> None:
    options = CONFIG if configured else ()
    dry = statetool("rebind", US, target, *options, "--dry-run")
    done = statetool("rebind", US, target, *options)
    assert dry.status == done.status == (0 if message is None else 2), done
    assert ((folder / "terraform.tfstate").read_bytes() == targets) == (message is not None)
    if message is not None:
        assert message in " ".join(done.err.split())


@pytest.mark.parametrize("configured", [False, True])
def test_a_typo_is_not_answered_by_whole_resource(configured: bool, statetool: Statetool) -> None:
    """The trial: advice that binds everything to the typo."""
    part = f"{US}.google_compute_subnetwork.sub[0]"
    refused = statetool("rebind", part, "google.plian", *(CONFIG if configured else ()))
    assert refused.status == 2
    assert "google.plian; " in refused.err
    assert "--whole-resource" not in refused.err
    assert "--whole-resource" in statetool("rebind", part, "google.plain", *CONFIG).err


def test_the_command_that_allows_it(statetool: Statetool) -> None:
    """What the refusal says can be pasted."""
    refused = statetool("rebind", US, 'google.geo["asia"]')
    *_, command = refused.err.splitlines()
    assert refused.err.endswith(f"If this is intended, run:\n{command}\n")
    program, *arguments = shlex.split(command)
    assert (program, arguments) == ("statetool", ["rebind", US, 'google.geo["asia"]', "--new-provider"])
    assert statetool(*arguments).status == 0
    assert statetool("list", "--provider", 'google.geo["asia"]').text.count("\n") == 3


def test_a_for_each_that_is_not_known_is_said(statetool: Statetool) -> None:
    done = statetool("rebind", US, 'google.late["eu-west1"]', *CONFIG, "--dry-run")
    assert f'cannot tell whether the configuration declares {GOOGLE}.late["eu-west1"]' in " ".join(done.text.split())


@pytest.mark.parametrize(
    ("pairs", "configured", "status"),
    [("us-east1=eu-west1", False, 0), ("us-east1=asia", False, 2), ("us-east1=asia", True, 0), ("us-east1=", True, 2)],
)
def test_keys_of_a_map(pairs: str, configured: bool, status: int, statetool: Statetool) -> None:
    assert statetool("rebind", US, "--map", pairs, *(CONFIG if configured else ())).status == status


# FROM and TO of `replace-provider`, with or without a configuration, and what the refusal says.
REPLACED = [
    ("hashicorp/google", "registry.terraform.io/hashicorp/google", False, None),
    ("hashicorp/google", "registry.terraform.io/hashicorp/google", True, None),
    (
        "hashicorp/google",
        "acme/google",
        False,
        "no resource in the state uses the provider acme/google; did you mean h",
    ),
    (
        "hashicorp/google",
        "hashicorp/googel",
        True,
        "in . does not use the provider hashicorp/googel; did you mean hash",
    ),
    ("hashicorp/google", "acme/spare", False, "no resource in the state uses the provider acme/spare"),
    ("hashicorp/google", "acme/spare", True, None),
    ("hashicorp/google", "example.com/hashicorp/google", False, "uses the provider example.com/hashicorp/google"),
    (f"{GOOGLE}.geo", f"{GOOGLE}.goe", False, f"bound to {GOOGLE}.goe; did you mean one of these: {GOOGLE}.geo["),
    (
        f"{GOOGLE}.geo",
        f"{GOOGLE}.goe",
        True,
        f"does not declare {GOOGLE}.goe; did you mean one of these: {GOOGLE}.geo[",
    ),
    (f"{GOOGLE}.geo", f"{GOOGLE}.plain", True, "has no for_each in the configuration, so it has no instance"),
    (f"{GOOGLE}.geo", f"{GOOGLE}.late", True, None),
]


@pytest.mark.parametrize(("old", "new", "configured", "message"), REPLACED)
def test_replace_provider(
    old: str, new: str, configured: bool, message: str | None, targets: bytes, folder: Path, statetool: Statetool
) -> None:
    done = statetool("replace-provider", old, new, "--yes", *(CONFIG if configured else ()))
    assert done.status == (0 if message is None else 2), done
    assert ((folder / "terraform.tfstate").read_bytes() == targets) == (message is not None)
    if message is not None:
        assert message in " ".join(done.err.split())
        allowed = statetool("replace-provider", old, new, "--yes", *(CONFIG if configured else ()), "--new-provider")
        assert allowed.status == 0


# What `mv` moves where, and what the refusal with a configuration says.
MOVED = [
    # The trial: a module that the configuration does not call.
    (US, 'module.clster["us-east1"]', f'declare module.clster["us-east1"]; did you mean one of these: {US}'),
    (US, 'module.cluster["asai"]', 'declare module.cluster["asai"]; did you mean one of these: module.cluster["asia"]'),
    (US, 'module.cluster["asia"]', None),
    (US, 'module.cluster["asia"].module.inner', 'declare module.cluster["asia"].module.inner'),
    (
        "terraform_data.old",
        "terraform_data.nt",
        "declare terraform_data.nt; did you mean one of these: terraform_data.net te",
    ),
    ("terraform_data.old", "terraform_data.net", None),
    (
        "terraform_data.old",
        'module.cluster["asia"].terraform_data.net',
        'declare module.cluster["asia"].terraform_data.net',
    ),
    # A `moved` block takes it on from there.
    ("terraform_data.old", "terraform_data.former", None),
    ("terraform_data.old", "terraform_data.net[0]", "declare terraform_data.net[0]; did you mean terraform_data.net?"),
    ("terraform_data.old", 'terraform_data.late["x"]', None),
    ("terraform_data.web[2]", "terraform_data.web[3]", "declare terraform_data.web[3]; did you mean one of these: t"),
]


@pytest.mark.parametrize(("source", "target", "message"), MOVED)
def test_mv(source: str, target: str, message: str | None, targets: bytes, folder: Path, statetool: Statetool) -> None:
    done = statetool("mv", source, target, *CONFIG)
    assert done.status == (0 if message is None else 2), done
    assert ((folder / "terraform.tfstate").read_bytes() == targets) == (message is not None)
    if message is not None:
        assert message in " ".join(done.err.split())
        assert done.err.endswith("If this is intended, leave out --config.\n")
        assert statetool("mv", source, target).status == 0


def test_instances_of_a_moved_module_that_are_not_declared(statetool: Statetool) -> None:
    """The module is what was named: what else is not declared in it may have been so before."""
    statetool("mv", "terraform_data.old", f"{US}.terraform_data.old")
    done = statetool("mv", US, 'module.cluster["asia"]', *CONFIG)
    assert done.status == 0
    assert 'destroys them: module.cluster["asia"].terraform_data.old' in " ".join(done.text.split())


@pytest.mark.parametrize(("pairs", "status"), [("2=3", 2), ("0=1,1=0", 0)])
def test_rekey(pairs: str, status: int, statetool: Statetool) -> None:
    assert statetool("rekey", "terraform_data.web", "--map", pairs, *CONFIG).status == status
    assert statetool("rekey", "terraform_data.web", "--map", pairs, "--dry-run").status == 0


def test_configuration_that_cannot_be_read(folder: Path, statetool: Statetool) -> None:
    """What cannot be known is said, and not refused."""
    (folder / "broken.tf").write_text('provider "google" {\n', encoding="utf-8")
    done = statetool("rebind", US, "google.goe", *CONFIG, "--dry-run")
    assert done.status == 0
    assert "cannot tell whether the configuration declares" in done.text
    moved = statetool("mv", "terraform_data.old", "terraform_data.nt", *CONFIG, "--dry-run")
    assert moved.status == 0
    assert "cannot tell whether the configuration declares terraform_data.nt" in " ".join(moved.text.split())


def test_provider_of_terraform(folder: Path, statetool: Statetool) -> None:
    """OpenTofu takes a provider of Terraform's registry for that of its own."""
    path = folder / "terraform.tfstate"
    path.write_bytes(path.read_bytes().replace(b"registry.opentofu.org", b"registry.terraform.io"))
    assert statetool("rebind", US, 'google.geo["asia"]', *CONFIG).status == 0
    assert statetool("rebind", US, 'google.goe["asia"]', *CONFIG).status == 2
