"""Records plans of a real Terraform: `python -m tests.lifecycle.planned.record`, with `terraform` on PATH.

Writes `clean.tar.xz`: for each plan its configuration and `plan.json`, without `planned_values` and `configuration`.
Each folder has random resources and modules; its plans follow each other, with changed variables and options, and are
applied in between.
"""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FOLDERS: Final = 30
STEPS: Final = 9
ARCHIVE: Final = Path(__file__).with_name("clean.tar.xz")

# Expressions of strings (%s is one), and of other values. All functions that they call give the same result each time.
_TEXTS: Final = (
    "var.name", "local.place", '"fixed"', '"a-${%s}-b"', "upper(%s)", "lower(%s)", "title(%s)",
    'format("%%s-%%03d", %s, 7)',
    'join("-", [%s, %s])', 'replace(%s, "a", "-")', "substr(%s, 0, 2)", "trimspace(%s)", "md5(%s)", "sha256(%s)",
    "base64encode(%s)", "jsonencode({ b = %s, a = [1, 2.5, null] })", "(var.flag ? %s : %s)", "coalesce(null, %s)",
    'lookup(var.tags, "env", %s)', 'try(var.tags["no"], %s)', "<<-EOT\n    line ${%s}\n      more\n  EOT\n", "%s",
    'cidrsubnet("10.0.0.0/8", 8, var.count_of)', "nonsensitive(sensitive(%s))", "yamlencode({ k = %s })",
    "urlencode(%s)",
    'element(["x", %s], var.count_of)', "tostring(var.count_of)", "path.module", "basename(path.root)",
    "terraform.workspace",
    '"%%{ if var.flag }${%s}%%{ else }no%%{ endif }"', "sensitive(%s)", "file(\"${path.module}/text.txt\")",
    'templatefile("${path.module}/text.tmpl", { name = %s })',
)  # fmt: skip
_VALUES: Final = (
    "%s", "[%s, %s]", "toset([%s, \"z\", \"a\"])", "{ k = %s, n = var.count_of }", "merge(var.tags, { x = %s })",
    "{ for k, v in var.tags : upper(k) => v if k != %s }", "[for n in range(var.count_of) : \"${n}-${%s}\"]",
    "var.tags",
    "var.count_of * 3 / 2", "var.count_of > 1", "null", "tolist([%s])", "tomap({ a = %s })",
    "{ deep = { list = [{ s = %s }] } }",
    "keys(var.tags)", "values(var.tags)", "zipmap([\"a\"], [%s])", "flatten([[%s], [[%s]]])", "distinct([%s, %s])",
    "setproduct([\"a\"], [%s])", "var.rules", "var.rules[*].port", "[for r in var.rules : r if r.port > 80]",
    "jsondecode(jsonencode({ a = %s, f = 0.1, big = 12345678901234567890 }))", "length(%s)", "split(\"-\", %s)",
    "[]", "{}",
    "1e3", "0.1 + 0.2", "var.secret", "{ s = var.secret, t = %s }", "concat(var.rules, [{ port = 1, to = null }])",
    "sort([%s, %s])",
    "one([%s])", "timestamp()", "[uuid(), %s]", "terraform_data.first.output",
    "{ id = terraform_data.first.id, x = %s }",
    "terraform_data.many[*].output", "module.child.out", "[for k, v in terraform_data.each : v.input]",
)  # fmt: skip
_VARIABLES: Final = """
variable "name" { default = "one" }
variable "flag" { default = true }
variable "count_of" { default = 2 }
variable "tags" { default = { env = "dev", owner = "me" } }
variable "secret" {
  default   = "hunter2"
  sensitive = true
}
variable "rules" {
  type    = list(object({ port = number, to = optional(string, "any") }))
  default = [{ port = 80 }, { port = 443, to = "web" }]
}
locals { place = "place-${var.name}" }
"""


class _Writer:
    """Writes one random configuration."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def text(self, depth: int = 0) -> str:
        simple = [each for each in _TEXTS if "%s" not in each]
        chosen = self.random.choice(simple if depth > 2 else _TEXTS)
        return self._filled(chosen, depth)

    def value(self) -> str:
        return self._filled(self.random.choice(_VALUES), 0)

    def _filled(self, template: str, depth: int) -> str:
        if "%s" not in template.replace("%%", ""):
            return template.replace("%%", "%")
        texts = tuple(self.text(depth + 1) for _ in range(template.replace("%%", "").count("%s")))
        # A heredoc ends at its own line.
        texts = tuple("var.name" if "EOT" in each else each for each in texts)
        return template % texts

    def resource(self, name: str, repetition: str = "", *, alone: bool = False) -> str:
        lines = [f'resource "terraform_data" "{name}" {{']
        lines += [f"  {repetition}"] if repetition else []
        given = [f"{self.text()}" if alone else self.value() for _ in range(2)]
        if self.random.random() < 0.9:
            lines.append(f"  input = {given[0]}")
        if self.random.random() < 0.4:
            lines.append(f"  triggers_replace = {given[1]}")
        kind = self.random.randrange(8)
        if kind == 0:
            lines.append("  lifecycle { ignore_changes = [input] }")
        elif kind == 1:
            lines.append("  lifecycle { ignore_changes = all }")
        elif kind == 2:
            lines.append("  lifecycle { create_before_destroy = true }")
        return "\n".join([*lines, "}", ""])

    def main(self) -> str:
        parts = [_VARIABLES, self.resource("first", alone=True)]
        parts.append(self.resource("many", "count = var.count_of", alone=True))
        parts.append(self.resource("each", "for_each = var.tags", alone=True))
        parts.append('module "child" {\n  source = "./child"\n  name = "child-${var.name}"\n}\n')
        parts.append(
            'module "keyed" {\n  source = "./child"\n  for_each = var.tags\n  name = "${each.key}-${each.value}"\n}\n'
        )
        parts += [self.resource(f"r{number}") for number in range(self.random.randrange(2, 7))]
        if self.random.random() < 0.5:
            parts.append(
                'data "terraform_remote_state" "other" {\n  backend = "local"\n'
                '  config = { path = "${path.module}/other.tfstate" }\n  depends_on = [terraform_data.first]\n}\n'
            )
        return "\n".join(parts)

    def child(self) -> str:
        return f'{_VARIABLES}\n{self.resource("own", alone=True)}\noutput "out" {{ value = "${{var.name}}" }}\n'

    def variables(self) -> dict[str, object]:
        choice = self.random.choice
        return {
            "name": choice(["one", "two", "drei", "a b"]), "flag": choice([True, False]), "count_of": choice([1, 2, 3]),
            "tags": choice([{"env": "dev", "owner": "me"}, {"env": "prod"}, {"env": "dev", "x": "y"}]),
            "secret": choice(["hunter2", "hunter3"]),
            "rules": choice([[], [{"port": 80}], [{"port": 22, "to": "x"}, {"port": 443}]]),
        }  # fmt: skip


def _terraform(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name != "TF_CLI_CONFIG_FILE"}
    return subprocess.run(
        ["terraform", *arguments],
        cwd=folder,
        env={**environment, "TF_IN_AUTOMATION": "1"},
        capture_output=True,
        check=False,
    )


def _plans(seed: int) -> Iterator[dict[str, bytes]]:
    """Yield the files of each plan of one folder."""
    writer = _Writer(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "child").mkdir()
        for place in (folder, folder / "child"):
            (place / "text.txt").write_text("content\n")
            (place / "text.tmpl").write_text("hello ${name}\n")
        (folder / "other.tfstate").write_text(
            '{"version": 4, "serial": 1, "lineage": "x", "outputs": {}, "resources": []}'
        )
        for step in range(STEPS):
            if step in (0, 4):
                (folder / "main.tf").write_text(writer.main())
                (folder / "child/main.tf").write_text(writer.child())
                _terraform(folder, "init", "-input=false")
            (folder / "given.tfvars.json").write_text(json.dumps({} if step == 0 else writer.variables()))
            extra = ["-replace=terraform_data.first"] if step == 3 else []
            extra += ["-target=terraform_data.many"] if step == 6 else []
            extra += ["-refresh=false"] if step == 7 else []
            planned = _terraform(folder, "plan", "-input=false", "-out=p", "-var-file=given.tfvars.json", *extra)
            if planned.returncode:
                print(seed, step, planned.stderr.decode()[:600], file=sys.stderr)
                continue
            shown = json.loads(_terraform(folder, "show", "-json", "p").stdout)
            for member in ("planned_values", "configuration", "prior_state", "relevant_attributes"):
                shown.pop(member, None)
            files = {"plan.json": json.dumps(shown, separators=(",", ":"), ensure_ascii=False).encode()}
            for part in ("main.tf", "child/main.tf", "text.txt", "text.tmpl", "child/text.txt", "child/text.tmpl"):
                files[part] = (folder / part).read_bytes()
            yield files
            _terraform(folder, "apply", "-input=false", "p")


def main() -> None:
    count = 0
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
        for seed in range(FOLDERS):
            for files in _plans(seed):
                for name, content in files.items():
                    member = tarfile.TarInfo(f"{count:03}/{name}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
                count += 1
            print(seed, count, flush=True)


if __name__ == "__main__":
    main()
