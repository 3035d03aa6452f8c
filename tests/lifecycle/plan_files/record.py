"""Records plan files of real programs, each beside the JSON that the same program prints: `python -m ….record`.

Each case is a configuration, and what came before: an earlier configuration that was applied, commands that followed,
and arguments of the plan. The files are packed without compression, since the archive around them compresses better.
"""

from __future__ import annotations

import io
import lzma
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from tests.compat.program import Program, programs

ARCHIVE: Final = Path(__file__).with_name("plan_files.tar.xz")


class Case(NamedTuple):
    """A configuration to plan; `before` was applied first, and then the commands `then` ran."""

    after: str
    before: str = ""
    then: tuple[tuple[str, ...], ...] = ()
    plan: tuple[str, ...] = ()
    files: Mapping[str, str] = MappingProxyType({})


_CHILD: Final = """
variable "size" { default = 1 }
resource "terraform_data" "inner" {
  count = var.size
  input = { size = var.size, index = count.index }
}
output "ids" { value = terraform_data.inner[*].id }
"""
_CHECKED: Final = """
resource "terraform_data" "a" {
  input = %s
  lifecycle {
    postcondition {
      condition     = self.output != "bad"
      error_message = "the output is bad"
    }
  }
}
check "good" {
  assert {
    condition     = terraform_data.a.output == "good"
    error_message = "it is not good"
  }
  assert {
    condition     = length(terraform_data.a.id) > 0
    error_message = "no id"
  }
}
"""
_TWO: Final = """resource "terraform_data" "a" {
  input = "one"
}
resource "terraform_data" "b" {
  input = terraform_data.a.output
}
"""

CASES: Final[dict[str, Case]] = {
    "create": Case(
        r"""
        resource "terraform_data" "a" {
          input = "x"
        }
        """
    ),
    "create-all-types": Case(
        r"""
        resource "terraform_data" "a" {
          input = {
            number = 0.1, whole = 12, negative = -7, half = 2.5, large = 12345678901234567890123, huge = 1e40
            text = "ü <&> \u2028 \"", none = null, yes = true, list = tolist(["a", "b"]), set = toset(["z", "a"])
            numbers = toset([3, 1, 2]), map = tomap({ b = 1, a = 2 }), empty = [], nothing = {}
            objects = toset([{ a = 1, b = ["x"] }, { a = 0, b = [] }]), tuple = ["a", 1, { b = null }]
          }
          triggers_replace = [1, "2", { three = [3] }]
        }
        output "all" { value = terraform_data.a.input }
        """
    ),
    "create-count": Case(
        r"""
        resource "terraform_data" "a" {
          count = 12
          input = count.index
        }
        """
    ),
    "create-for-each": Case(
        r"""
        resource "terraform_data" "a" {
          for_each = toset(["a b", "\"quoted\"", "ü.[0]"])
          input = each.key
        }
        """
    ),
    "create-unknown-parts": Case(
        r"""
        resource "terraform_data" "a" {
          input = "one"
        }
        resource "terraform_data" "b" {
          input = terraform_data.a.output
        }

                resource "terraform_data" "c" {
                  input            = { known = 1, not = terraform_data.a.id,
            list = [terraform_data.a.id, "k"],
            deep = { x = { y = terraform_data.b.output } } }
                  triggers_replace = { set = toset([terraform_data.a.id, "z"]), map = { k = terraform_data.a.id } }
                }
                output "part" { value = { a = terraform_data.c.output, b = 1 } }
                output "whole" { value = terraform_data.c.id }
        """
    ),
    "create-modules": Case(
        r"""
        module "a" {
          source = "./child"
          for_each = toset(["x", "y"])
          size = 2
        }
        module "b" {
          source = "./child"
        }
        output "all" { value = module.a }
        """,
        files={"child/main.tf": _CHILD},
    ),
    "nested-modules": Case(
        r"""
        module "outer" {
          source = "./outer"
          count = 2
        }
        """,
        files={
            "outer/main.tf": r"""
        module "inner" {
          source = "../child"
        }
        """,
            "child/main.tf": _CHILD,
        },
    ),
    "no-changes": Case(_TWO, before=_TWO),
    "update": Case(_TWO.replace("one", "two"), before=_TWO),
    "update-type": Case(
        r"""
        resource "terraform_data" "a" {
          input = [1, 2]
        }
        resource "terraform_data" "b" {
          input = terraform_data.a.output
        }
        """,
        before=_TWO,
    ),
    "update-output": Case(
        r"""
        resource "terraform_data" "a" {
          input = "one"
        }
        resource "terraform_data" "b" {
          input = terraform_data.a.output
        }
        output "o" { value = "b" }
        """,
        before=r"""
        resource "terraform_data" "a" {
          input = "one"
        }
        resource "terraform_data" "b" {
          input = terraform_data.a.output
        }
        output "o" { value = "a" }
        output "gone" { value = 1 }
        """,
    ),
    "replace": Case(
        r"""
        resource "terraform_data" "a" {
          triggers_replace = { a = ["2"], b = 1 }
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          triggers_replace = { a = ["1"], b = 1 }
        }
        """,
    ),
    "replace-create-first": Case(
        r"""
        resource "terraform_data" "a" {
          triggers_replace = 2
          lifecycle { create_before_destroy = true }
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          triggers_replace = 1
          lifecycle { create_before_destroy = true }
        }
        """,
    ),
    "replace-by-request": Case(_TWO, before=_TWO, plan=("-replace=terraform_data.a",)),
    "replace-tainted": Case(_TWO, before=_TWO, then=(("taint", "terraform_data.a"),)),
    "replace-triggered-by": Case(
        r"""
        resource "terraform_data" "a" {
          input = 2
        }
        resource "terraform_data" "b" {
          lifecycle { replace_triggered_by = [terraform_data.a] }
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          input = 1
        }
        resource "terraform_data" "b" {
          lifecycle { replace_triggered_by = [terraform_data.a] }
        }
        """,
    ),
    "delete": Case(
        r"""
        resource "terraform_data" "a" {
          input = "one"
        }
        """,
        before=_TWO,
    ),
    "delete-count": Case(
        r"""
        resource "terraform_data" "a" {
          count = 1
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          count = 3
        }
        """,
    ),
    "delete-each-key": Case(
        r"""
        resource "terraform_data" "a" {
          for_each = toset(["b"])
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          for_each = toset(["a", "b"])
        }
        """,
    ),
    "delete-repetition": Case(
        r"""
        resource "terraform_data" "a" {
          for_each = toset(["b"])
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          count = 2
        }
        """,
    ),
    "delete-module": Case(
        "",
        before=r"""
        module "b" {
          source = "./child"
        }
        """,
        files={"child/main.tf": _CHILD},
    ),
    "destroy-all": Case(
        r"""
        resource "terraform_data" "a" {
          input = "one"
        }
        resource "terraform_data" "b" {
          input = terraform_data.a.output
        }
        output "o" { value = 1 }
        """,
        before=r"""
        resource "terraform_data" "a" {
          input = "one"
        }
        resource "terraform_data" "b" {
          input = terraform_data.a.output
        }
        output "o" { value = 1 }
        """,
        plan=("-destroy",),
    ),
    "move": Case(
        r"""
        resource "terraform_data" "b" {
          input = 1
        }
        moved {
          from = terraform_data.a
          to = terraform_data.b
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          input = 1
        }
        """,
    ),
    "move-into-module": Case(
        r"""
        module "b" {
          source = "./child"
        }
        moved {
          from = terraform_data.a
          to = module.b.terraform_data.inner[0]
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          input = 1
        }
        """,
        files={"child/main.tf": _CHILD},
    ),
    "import": Case(
        r"""
        resource "terraform_data" "a" {
        }
        import {
          to = terraform_data.a
          id = "some-id"
        }
        """
    ),
    "forget": Case(
        r"""
        removed {
          from = terraform_data.a
          lifecycle { destroy = false }
        }
        """,
        before=r"""
        resource "terraform_data" "a" {
          input = 1
        }
        """,
    ),
    "errored": Case(
        r"""
        resource "terraform_data" "a" {
          input = 1
        }
        resource "terraform_data" "b" {
          input = terraform_data.a.input
          lifecycle {
            precondition {
              condition     = terraform_data.a.input == 2
              error_message = "never"
            }
          }
        }
        """
    ),
    "checks": Case(_CHECKED % '"good"', before=_CHECKED % '"poor"'),
    "checks-unknown": Case(_CHECKED % '"good"'),
    "variables": Case(
        r"""
        variable "number" {
          type    = number
          default = "5"
        }
        variable "given" { type = map(object({ a = string, b = optional(number, 3) })) }
        variable "list" { default = ["a", 1] }
        variable "none" { default = null }
        variable "password" {
          sensitive = true
          default   = "hush"
          validation {
            condition     = length(var.password) > 2
            error_message = "too short"
          }
        }
        resource "terraform_data" "a" {
          input = [var.number, var.given, var.list, var.none]
        }
        """,
        plan=("-var", 'given={x={a="1"}}'),
    ),
    "sensitive": Case(
        r"""
        variable "secret" {
          sensitive = true
          default   = { a = "hush", b = ["quiet"] }
        }
        resource "terraform_data" "a" {
          input            = { open = 1, secret = var.secret.a
                               list = [1, var.secret.b[0]], map = { k = var.secret.a } }
          triggers_replace = var.secret
        }
        output "o" {
          value     = terraform_data.a.output
          sensitive = true
        }
        """,
        before=r"""
        variable "secret" {
          sensitive = true
          default   = { a = "psst", b = ["still"] }
        }
        resource "terraform_data" "a" {
          input            = { open = 1, secret = var.secret.a
                               list = [1, var.secret.b[0]], map = { k = var.secret.a } }
        }
        """,
    ),
    "data": Case(
        r"""
        resource "terraform_data" "a" {
          input = "other/terraform.tfstate"
        }
        data "terraform_remote_state" "other" {
          backend = "local"
          config = { path = terraform_data.a.output }
        }
        output "o" { value = data.terraform_remote_state.other.outputs }
        """
    ),
    "drift": Case(_TWO, before=_TWO, then=(("state", "rm", "terraform_data.b"),)),
    "refresh-only": Case(_TWO, before=_TWO, plan=("-refresh-only",)),
    "target": Case(_TWO.replace("one", "two"), before=_TWO, plan=("-target=terraform_data.a",)),
}


def main() -> None:
    """Record all cases with every program."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for program in programs():
            for name, case in CASES.items():
                with tempfile.TemporaryDirectory() as folder:
                    for file, data in record(program, case, Path(folder)).items():
                        info = tarfile.TarInfo(f"{program.release}/{name}/{file}")
                        info.size = len(data)
                        archive.addfile(info, io.BytesIO(data))
    ARCHIVE.write_bytes(lzma.compress(content.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def record(program: Program, case: Case, folder: Path) -> dict[str, bytes]:
    """Make the plan of a case in an empty folder, and return the plan file and its JSON."""
    for name, text in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    main_file = folder / "main.tf"
    if case.before:
        main_file.write_text(case.before, encoding="utf-8")
        _run(program, folder, "init")
        _run(program, folder, "apply", "-auto-approve")
        for command in case.then:
            _run(program, folder, *command)
        shutil.rmtree(folder / ".terraform", ignore_errors=True)
    main_file.write_text(case.after, encoding="utf-8")
    _run(program, folder, "init")
    # A plan that fails is written, too.
    program.run(folder, "plan", "-input=false", "-out=plan.tfplan", *case.plan)
    shown = program.run(folder, "show", "-json", "plan.tfplan")
    assert shown.status == 0, shown.err
    return {"plan.tfplan": stored((folder / "plan.tfplan").read_bytes()), "plan.json": shown.out.encode()}


def _run(program: Program, folder: Path, *arguments: str) -> None:
    done = program.run(folder, *arguments)
    assert done.status == 0, (arguments, done.out, done.err)


def stored(plan: bytes) -> bytes:
    """Return a plan file whose members are stored as they are."""
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(plan)) as given, zipfile.ZipFile(content, "w") as made:
        for info in given.infolist():
            made.writestr(zipfile.ZipInfo(info.filename), given.read(info))
    return content.getvalue()


if __name__ == "__main__":
    main()
