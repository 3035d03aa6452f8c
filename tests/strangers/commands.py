"""Every command of the command line, as it is run in a stranger's folder.

`OUT` in an argument is a folder of the user, which the command line names to be written to; `KEYS` a file of the user
with keys.
"""

from __future__ import annotations

from typing import Final

from statefmt.cli.names import COMMANDS as PROGRAM

OUT: Final = "OUT"
KEYS: Final = "KEYS"
_ONE: Final = "terraform_data.a"

GIVEN: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "list": ((), ("--state", "."), ("--long",)),
    "show": (("**",),),
    "providers": ((), ("--config", ".")),
    "grep": (("x",), ("x", ".")),
    "graph": (("--format", "text"),),
    "report": (("-o", f"{OUT}/report.html"), ("-o", f"{OUT}/report.html", ".")),
    "check": (
        ("--config", "."),
        (),
        (".",),
        ("--format", "sarif", "."),
        ("--plan", "plan.json", "--schemas", "schemas.json", "--config", "."),
        ("--encryption-config", "."),
        ("--fix",),
        ("--fix", "--unsafe-fixes", "."),
    ),
    "simulate": (("--config", ".", "--without", "eu"),),
    "verify": (("plan.json", "--after", "terraform.tfstate"),),
    "log": ((), (_ONE,), ("--patch",)),
    "blame": ((_ONE,),),
    "diff": (
        ("--head",),
        ("--backup",),
        (".", "terraform.tfstate"),
        ("--format", "html", "sub/terraform.tfstate", "."),
    ),
    "plan-show": (("plan.json", "--config", "."), ("--state", "terraform.tfstate", "plan.json")),
    "moves": (("plan.json",),),
    "fmt": ((), ("--check", ".")),
    "upgrade": (("-i", "--registry", "opentofu"), ("-i", "--config", ".")),
    "downgrade": (("--for", "1.8", "-o", f"{OUT}/old.tfstate"),),
    "mv": (("-y", _ONE, "terraform_data.moved"), ("-y", "--config", ".", _ONE, "terraform_data.moved")),
    "rm": (("-y", _ONE),),
    "rekey": (("-y", _ONE, "--map", "=0"),),
    "adopt": (("-y", "--config", "."), ("--config", ".", "--from-config", "sub", "-o", f"{OUT}/adopt.stateops.hcl")),
    "rebind": (("-y", "--config", ".", _ONE, "aws.west"),),
    "replace-provider": (("-y", "--new-provider", "terraform.io/builtin/terraform", "acme/aws"),),
    "taint": (("-y", _ONE),),
    "untaint": (("-y", _ONE),),
    "forget-deposed": (("-y", "--deposed"),),
    "set": (("-y", _ONE, 'input="x"'), ("-y", "--schemas", "schemas.json", _ONE, 'input="x"')),
    "unset": (("-y", _ONE, "input"),),
    "edit": (("-y", _ONE),),
    "set-serial": (("-y", "70"),),
    "new-lineage": (("-y",),),
    "plan": (("ops.stateops.hcl",), ("--from-tfmigrate", "migration.hcl", "--root", ".")),
    "apply": (("-y", "ops.stateops.hcl"),),
    "split": (("--suggest",), ("-y", "--select", f"{_ONE}={OUT}/new.tfstate")),
    "join": (("-y", "terraform.tfstate", "--into", f"{OUT}/joined.tfstate", "--create"),),
    "merge": (("terraform.tfstate.backup", ".", "terraform.tfstate"),),
    "locks": ((), ("--all-workspaces",)),
    "unlock": (("-y", "9db590f1-b6fe-c5f2-2678-8804f089deba"),),
    "copy": (("-y", ".", f"{OUT}/copy.tfstate"), ("-y", "terraform.tfstate", ".")),
    "move-backend": (("-y",), ("-y", ".", ".")),
    "fleet index": ((".", "--workers", "1", "--into", f"{OUT}/all.duckdb"),),
    "fleet check": (("--into", "index.duckdb"),),
    "fleet query": (("--into", "index.duckdb", "--saved", "versions-in-use"),),
    "fleet duplicates": (("--into", "index.duckdb"),),
    "fleet graph": (("--into", "index.duckdb"),),
    "fleet diff": (("--into", "index.duckdb"),),
    "encryption-info": ((), ("--encryption-config", ".")),
    "encrypt": (("-i", "--encryption", KEYS), ("-i", "--encryption-config", ".")),
    "decrypt": (("-o", f"{OUT}/plain.tfstate", "--encryption-config", ".", "terraform.tfstate"),),
    "reencrypt": (("-i", "--encryption", KEYS, "terraform.tfstate"), ("-i", "--encryption-config", ".")),
    "restore": (("-y", "terraform.tfstate.backup"),),
    "history": ((), ("--prune", "-y", "--keep", "1")),
    "repair": (("-y",),),
    "reconcile": (("errored.tfstate",),),
    "salvage": (("--from-backups", "-y", "-o", f"{OUT}/salvaged.tfstate", "terraform.tfstate"),),
    "help": (("topics",),),
    "git-config": (("--disable",), ("--enable",), ("--enable", "--shared")),
    "git-driver": (("textconv", "terraform.tfstate"),),
}
# All others are run without arguments.
COMMANDS: Final = {name: GIVEN.get(name, ((),)) for name in PROGRAM}
