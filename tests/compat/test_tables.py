"""The long tables: every expression has the value, and the type, that the real programs give it, or is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from statefmt.configuration import LoadOptions, load, root_scope
from statefmt.hcl.value import Part, Unknown, first_unknown, to_plain
from statefmt.model.cty import encode_type
from statefmt.model.cty.data import CtyValue as PlainValue
from statefmt.model.cty.values import write_value
from tests.compat.program import Program
from tests.compat.tables import GIVEN, MORE_CONFIGURATION, MORE_FILES, MORE_VALUES, REFUSED

# As many values are compared at least: the tables are not to dwindle.
_FEWEST: Final = 500


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the expressions refer to, and a local value for each of them."""
    (tmp_path / "main.tf").write_text(MORE_CONFIGURATION)
    (tmp_path / "terraform.tfvars").write_text(MORE_VALUES)
    (tmp_path / "bin.dat").write_bytes(b"\xff\xfe\x00")
    for name, content in MORE_FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content.encode())
    return tmp_path


def _asked(real: Program, folder: Path, outputs: str) -> dict[str, dict[str, object]]:
    asking = folder / "asked.tf"
    asking.write_text(outputs)
    output = real.run(folder, "apply", "-auto-approve", "-input=false", "-no-color")
    assert output.status == 0, output.err
    asking.unlink()
    found: dict[str, dict[str, object]] = json.loads((folder / "terraform.tfstate").read_bytes())["outputs"]
    return found


def _evaluated(folder: Path, expressions: tuple[str, ...]) -> list[Part]:
    lines = [f"  e{place} = {expression}" for place, expression in enumerate(expressions)]
    (folder / "values.tf").write_text("\n".join(["locals {", *lines, "}"]) + "\n")
    configuration = load(folder, LoadOptions())
    (folder / "values.tf").unlink()
    scope = root_scope(configuration)
    return [scope.local(f"e{place}") for place in range(len(expressions))]


def test_values(real: Program, folder: Path) -> None:
    # In brackets, so that the output has the type of a tuple, and so that of the value in it.
    blocks = [
        f'output "e{place}" {{\n  value = [jsonencode({expression}\n), {expression}\n]\n}}\n'
        for place, expression in enumerate(GIVEN)
    ]
    theirs = _asked(real, folder, "".join(blocks))
    differing = {}
    for place, (expression, value) in enumerate(zip(GIVEN, _evaluated(folder, GIVEN), strict=True)):
        answer = theirs[f"e{place}"]
        unknown = first_unknown((value,))
        if unknown is not None or not isinstance(answer["value"], list) or not isinstance(answer["type"], list):
            differing[expression] = (repr(unknown), str(answer))
            continue
        ours = write_value(PlainValue(value.type, to_plain(value))).decode(), json.loads(encode_type(value.type))
        if ours != (answer["value"][0], answer["type"][1][1]):
            differing[expression] = (str(ours), str(answer))
    assert not differing
    assert len(GIVEN) >= _FEWEST


def test_refused(real: Program, folder: Path) -> None:
    blocks = [f'output "e{place}" {{\n  value = can({expression}\n)\n}}\n' for place, expression in enumerate(REFUSED)]
    theirs = _asked(real, folder, "".join(blocks))
    assert {expression for place, expression in enumerate(REFUSED) if theirs[f"e{place}"]["value"]} == set()
    values = zip(REFUSED, _evaluated(folder, REFUSED), strict=True)
    assert {expression for expression, value in values if not isinstance(value, Unknown)} == set()
