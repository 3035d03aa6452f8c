"""Which releases a `required_version` admits, and which of them read import blocks of called modules."""

from __future__ import annotations

from pathlib import Path

from statefmt.configuration import LoadOptions, load
from statefmt.configuration._load import admitted_releases
from statefmt.releases import all_releases, parse_release
from tests.tables import each_row

# The operators are those of hashicorp/go-version.
_ADMITTED = [
    ((), [str(release) for release in all_releases()]),
    ((">= 1.16",), ["terraform-1.16"]),
    ((">= 1.15.3, < 1.16.0",), ["terraform-1.15"]),
    (("~> 1.15",), ["terraform-1.15", "terraform-1.16"]),
    (("~> 1.15.0",), ["terraform-1.15"]),
    (("~> 1.13.2", "< 1.14"), ["opentofu-1.13", "terraform-1.13"]),
    (("1.14.7",), ["terraform-1.14"]),
    (("= v1.14.7",), ["terraform-1.14"]),
    (("> 1.14", "< 1.15", "!= 1.14.1"), ["terraform-1.14"]),
    (("> 1.15.99", ">= 1.16.0-rc1"), ["terraform-1.16"]),
    (("<= 0.12.31",), ["terraform-0.12"]),
    ((">= 1.99",), []),
    (("nonsense", ">= 1.16"), ["terraform-1.16"]),
]


@each_row(("constraints", "expected"), _ADMITTED)
def test_admitted(constraints: tuple[str, ...], expected: list[str]) -> None:
    found = [str(release) for release in admitted_releases(constraints)]
    assert found == expected


@each_row(
    ("required", "release", "refused"),
    [
        ("", None, True),
        (">= 1.16", None, False),
        (">= 1.99", None, False),
        ("~> 1.5", None, True),
        ("", "terraform-1.16", False),
        ("", "terraform-1.15", True),
        (">= 1.16", "opentofu-1.13", True),
    ],
)
@each_row("inside", [False, True])
def test_imports_in_called_modules(
    required: str, release: str | None, refused: bool, inside: bool, tmp_path: Path
) -> None:
    """The module that has the import may say what it requires, as may its callers."""
    version = f'terraform {{\n  required_version = "{required}"\n}}\n' if required else ""
    call, imported = 'module "m" {\n  source = "./m"\n}\n', 'import {\n  to = a.b\n  id = "c"\n}\n'
    (tmp_path / "m").mkdir()
    (tmp_path / "main.tf").write_text(call + ("" if inside else version), encoding="utf-8")
    (tmp_path / "m" / "main.tf").write_text(imported + (version if inside else ""), encoding="utf-8")
    options = LoadOptions(release=None if release is None else parse_release(release))
    found = [problem.summary for problem in load(tmp_path, options).problems]
    assert found == (["Invalid import configuration"] if refused else [])
