"""Damaged states and envelopes of every version, through the library and through the commands: only what is on purpose.

Everything here is a result or a StatetoolError, which a command turns into exit status 2; never a traceback.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from hypothesis import example, given, strategies as st

import statefmt
from statefmt.cli.main import main
from statefmt.formats.losses import losses
from statefmt.formats.releases import parse_release
from statefmt.model.errors import StatetoolError
from tests.formats.recorded import CASES, input_of
from tests.property.mutations import hostile_value, mutated
from tests.tables import each_row

_ROOT: Final = Path(__file__).resolve().parents[2]
_CONFIGURATION: Final = """provider "aws" {
  alias    = "by_region"
  for_each = toset(["a", "b"])
}
resource "aws_instance" "web" {
  provider = aws.by_region["a"]
}
"""
_ENCRYPTION: Final = """key_provider "pbkdf2" "main" {
  passphrase = "correct-horse-battery-staple"
}
method "aes_gcm" "main" {
  keys = key_provider.pbkdf2.main
}
state {
  method = method.aes_gcm.main
}
"""
# `s` and `t` are damaged states; nothing here writes anything but `o`, which is not kept.
_COMMANDS: Final = [line.split() for line in """
list --state s --format json
list --state s --encryption main.hcl --long
show --state s
show --state s --format json --show-sensitive
providers s --format json
providers s --config config
outputs s
stats s
graph s
check --no-settings s
check --no-settings --format sarif --config config s
simulate s --config config --without a
diff s t
diff t s --format json --show-sensitive
upgrade s
upgrade --registry terraform s
downgrade --for 1.8 s
downgrade --for terraform-1.5 s
fmt --check s
encryption-info s --encryption main.hcl
decrypt s --encryption main.hcl --out o
encrypt s --encryption main.hcl --out o
mv --dry-run --state s aws_vpc.main aws_vpc.b
mv --dry-run --state s *.* *.${1}_${2}
rm --dry-run --state s **
taint --dry-run --state s **
rekey --dry-run --state s ** --map =a
rebind --dry-run --state s ** aws.x
replace-provider --dry-run --state s hashicorp/aws acme/aws
set-serial --dry-run --state s 99
set --dry-run --state s ** id="x"
unset --dry-run --state s ** id
forget-deposed --dry-run --state s **
""".splitlines() if line]  # fmt: skip


@functools.cache
def _seeds() -> Sequence[Sequence[bytes]]:
    """States of each format version, and envelopes: those that come with the project, and the recorded ones."""
    files = [*(_ROOT / "samples").rglob("*.tfstate"), *(_ROOT / "tests/golden").glob("*.in.tfstate")]
    found: dict[bytes, list[bytes]] = {}
    for data in [*(path.read_bytes() for path in sorted(files)), *map(input_of, CASES)]:
        version = re.search(rb'"(?:version"\s*:\s*([1-4])\b|encryption_version")', data)
        if version is not None and len(data) < 20_000:
            found.setdefault(version[1] or b"", []).append(data)
    assert len(found) == 5
    return list(found.values())


def _damaged(number: int) -> tuple[bytes, bytes]:
    """A damaged state, and another one made of the same."""
    random = Random(number)
    seed = random.choice(random.choice(_seeds()))
    return mutated(seed, random), mutated(seed, random)


_NUMBERS: Final = st.integers(0, 2**64 - 1)


@given(_NUMBERS)
def test_library(number: int) -> None:
    one, other = _damaged(number)
    statefmt.inspect(one)
    statefmt.check(one)
    try:
        snapshot = statefmt.read(one).snapshot
        losses(snapshot, parse_release("1.8"))
        again = statefmt.read(statefmt.write(snapshot, canonical=False)).snapshot
        # What OpenTofu writes for a legacy provider in upper case is another provider once it reads that.
        types = {one.provider_config.provider.type for one in snapshot.resources if one.provider_config}
        assert not statefmt.diff(snapshot, again) or any(name != name.lower() for name in types)
        statefmt.diff(snapshot, statefmt.read(other).snapshot)
    except StatetoolError:
        pass


def _run(command: Sequence[str], folder: Path, one: bytes, other: bytes) -> int:
    (folder / "s").write_bytes(one)
    (folder / "t").write_bytes(other)
    names = {name: str(folder / name) for name in ("s", "t", "o", "config", "main.hcl")}
    (folder / "config").mkdir()
    (folder / "config" / "main.tf").write_text(_CONFIGURATION)
    (folder / "main.hcl").write_text(_ENCRYPTION)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    error = io.StringIO()
    with redirect_stdout(out), redirect_stderr(error):
        status = main([names.get(argument, argument) for argument in command])
    assert "Traceback" not in error.getvalue()
    assert "No such option" not in error.getvalue()
    assert "Usage:" not in error.getvalue()
    assert (folder / "s").read_bytes() == one
    return status


@given(st.sampled_from(_COMMANDS), _NUMBERS)
def test_commands(command: Sequence[str], number: int) -> None:
    with TemporaryDirectory() as folder:
        assert _run(command, Path(folder), *_damaged(number)) in (0, 1, 2)


# Depths that readers follow and what comes after them may not.
@each_row("depth", [130, 960, 5_000], sample=60)
@each_row("brackets", [("[", "]"), ('{"a":', "}")])
@each_row("command", _COMMANDS, ids=" ".join)
def test_nesting(command: Sequence[str], brackets: tuple[str, str], depth: int) -> None:
    deep = (brackets[0] * depth + "1" + brackets[1] * depth).encode()
    seed = (_ROOT / "samples" / "v4-regions.tfstate").read_bytes()
    one = re.sub(rb'("id": )"[^"]*"', lambda match: match[1] + deep, seed, count=1)
    assert one != seed
    with TemporaryDirectory() as folder:
        assert _run(command, Path(folder), one, one.replace(b"1", b"2", 1)) in (0, 1, 2)


_SETTINGS: Final = ("statetool.toml", "pyproject.toml", "baseline.json", "config/.terraform/modules/modules.json")


@given(st.sampled_from(_SETTINGS), _NUMBERS)
@example("statetool.toml", -1)
@example("pyproject.toml", -1)
@example("pyproject.toml", -2)
@example("baseline.json", -1)
@example("config/.terraform/modules/modules.json", -1)
def test_files_beside_a_state(name: str, number: int) -> None:
    """Settings, baselines and manifests that hold anything at all."""
    random = Random(number)
    content = b"a = " if name.endswith("toml") else b""
    if number == -1:
        content += b"[" * 100_000
    elif number == -2:
        content = b"tool = 1"
    else:
        content = mutated(content + b'{"states": {"a": [1]}, "format_version": "1.0", "Modules": []}', random)
        content += hostile_value(random)
    with TemporaryDirectory() as given_folder:
        folder = Path(given_folder)
        command = ["check", "s", "--config", "config"]
        command += ["--baseline", str(folder / name)] if name == "baseline.json" else []
        (folder / "config" / ".terraform" / "modules").mkdir(parents=True)
        (folder / name).write_bytes(content)
        (folder / "config" / "main.tf").write_text(_CONFIGURATION)
        (folder / "s").write_bytes((_ROOT / "samples" / "v4-empty.tfstate").read_bytes())
        names = {"s": str(folder / "s"), "config": str(folder / "config")}
        with redirect_stdout(io.TextIOWrapper(io.BytesIO())), redirect_stderr(io.StringIO()):
            assert main([names.get(argument, argument) for argument in command]) in (0, 1, 2)
