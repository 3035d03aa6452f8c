"""The page about operations files names every block and argument, and its examples can be read."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from docs.transcripts import ROOT
from statefmt.edit.operations_file.model import BLOCKS, Expect, StateBlock
from statefmt.edit.operations_file.read import read_operations_file
from tests.tables import each_row

_PAGE: Final = (ROOT / "docs/operations-files.md").read_text(encoding="utf-8")
_SECTION: Final = re.compile(r"^## `([a-z_]+)`\n(.*?)(?=^## |\Z)", re.DOTALL | re.MULTILINE)
_ARGUMENT: Final = re.compile(r"^\| `([a-z_]+)` \|", re.MULTILINE)
_BLOCKS: Final = {"state": StateBlock, "expect": Expect, **BLOCKS}
_GUIDES: Final = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/guides").glob("*.md"))


def test_every_block_has_a_section() -> None:
    assert {name for name, _ in _SECTION.findall(_PAGE)} == _BLOCKS.keys()


@each_row("name", _BLOCKS)
def test_every_argument_is_in_the_table(name: str) -> None:
    documented = dict(_SECTION.findall(_PAGE))[name]
    assert _ARGUMENT.findall(documented) == [field.encode_name for field in msgspec.structs.fields(_BLOCKS[name])]


@each_row(
    ("page", "kind"),
    [("docs/operations-files.md", "json"), *((p, "hcl") for p in ("docs/operations-files.md", *_GUIDES))],
)
def test_examples_can_be_read(page: str, kind: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    examples = re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    files = [one for one in examples if re.search(r'^state "|"state":', one, re.MULTILINE)]
    assert files or "operations-files" not in page
    for example in files:
        assert read_operations_file(f"example.stateops.{kind}", example.encode()).operations
