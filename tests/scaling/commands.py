"""The commands whose work is counted, as they are typed in a folder of `folder.py`, and those that are left out."""

from __future__ import annotations

from typing import Final

from statefmt.cli.names import COMMANDS as PROGRAM

_STATE: Final = ("--state", "s.tfstate")
_EDIT: Final = ("--yes", *_STATE)
_ALL: Final = "**"
_CHECK: Final = ("--no-settings", "s.tfstate")
_CONFIG: Final = ("--config", "cfg")

# By command, the arguments that it is run with: the most work, and the other paths through the code.
GIVEN: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "list": (
        _STATE,
        ("--long", *_STATE),
        ("--format", "json", *_STATE),
        ("--format", "csv", *_STATE),
        (*_STATE, "--where", "size=~x", "--where", "size!=b"),
        (*_STATE, "--provider", "aws", "--type", "t*", "**.t.*"),
    ),
    "show": ((*_STATE, _ALL), ("--format", "json", *_STATE, _ALL)),
    "providers": (
        ("s.tfstate",),
        ("--tree", "s.tfstate"),
        ("--modules", "--resources", "s.tfstate"),
        ("--format", "json", "s.tfstate"),
        ("--remove", "aws", "s.tfstate"),
        (*_CONFIG, "s.tfstate"),
    ),
    "outputs": (("s.tfstate",), ("--format", "json", "s.tfstate")),
    "grep": (("x", "s.tfstate"), ("--format", "json", "x", "s.tfstate"), ("nothing has this", "s.tfstate")),
    "stats": (("--modules", "--all", "s.tfstate"), ("--format", "json", "s.tfstate")),
    "graph": (
        ("--format", "text", "s.tfstate"),
        ("--format", "dot", "s.tfstate"),
        ("--format", "mermaid", "--implied", "s.tfstate"),
        ("--format", "json", "s.tfstate"),
        ("--depends-on", "t.*", "s.tfstate"),
        ("--dependents-of", "t.*", "--format", "text", "s.tfstate"),
    ),
    "report": (("s.tfstate", "-o", "report.html"),),
    "check": (
        _CHECK,
        *(("--format", name, *_CHECK) for name in ("concise", "json", "sarif", "junit", "github")),
        ("--statistics", *_CHECK),
        ("--for", "1.8", *_CHECK),
        ("--fix", "--unsafe-fixes", *_CHECK),
        ("--diff", *_CHECK),
        ("--write-baseline", "baseline.json", *_CHECK),
        ("--schemas", "schemas.json", *_CHECK),
        ("--json-schema", *_CHECK),
        ("--plan", "plan.json", *_CHECK),
        (*_CONFIG, *_CHECK),
    ),
    "simulate": ((*_CONFIG, "--without", "k1", "s.tfstate"),),
    "adopt": ((*_CONFIG, "--from-config", "cfg", "s.tfstate"), (*_CONFIG, "--format", "json", "s.tfstate")),
    "merge": (("t.tfstate", "s.tfstate", "empty.tfstate", "--theirs", "**", "--dry-run"),),
    "verify": (
        ("plan.json", "--before", "s.tfstate", "--after", "t.tfstate"),
        ("plan.json", "--before", "s.tfstate", "--after", "t.tfstate", "--schemas", "schemas.json"),
    ),
    "diff": (
        ("s.tfstate", "t.tfstate"),
        *(("--format", name, "s.tfstate", "t.tfstate") for name in ("json", "markdown", "html")),
        ("--moved-blocks", "s.tfstate", "t.tfstate"),
        ("s.tfstate", "empty.tfstate"),
        ("empty.tfstate", "s.tfstate"),
    ),
    "plan-show": ((*_CONFIG, "plan.json"), ("--format", "json", *_CONFIG, "plan.json")),
    "moves": (("plan.json",),),
    "fmt": (("s.tfstate",), ("--stdout", "s.tfstate"), ("--check", "s.tfstate")),
    "upgrade": (("--registry", "opentofu", "s.tfstate"), ("--registry", "opentofu", "--in-place", "s.tfstate")),
    "downgrade": (
        ("--for", "1.8", "s.tfstate"),
        ("--for", "terraform-1.5", "--registry", "terraform", "--drop-lossy", "s.tfstate"),
    ),
    "mv": (
        (*_EDIT, "t.a", "module.z.t.b"),
        (*_EDIT, "t.*", "module.z.t.$1"),
        (*_EDIT, "module.m*", "module.z$1"),
        (*_EDIT, "--to-state", "new.tfstate", "--create", "t.*"),
    ),
    "rm": ((*_EDIT, "t.r1"), (*_EDIT, _ALL), (*_EDIT, "--keep-dangling", "--exclude", "*.r2", _ALL)),
    "rekey": ((*_EDIT, "t.a", "--map", "0=a,1=b"), (*_EDIT, _ALL, "--by", "id")),
    "rebind": (
        (*_EDIT, "--new-provider", _ALL, "aws.west"),
        (*_EDIT, "t.a", "--map", "k1=z1,k2=z2"),
        (*_EDIT, *_CONFIG, _ALL, "aws.west"),
    ),
    "replace-provider": (
        (*_EDIT, "--new-provider", "hashicorp/aws", "acme/aws"),
        (*_EDIT, "--new-provider", 'provider["hashicorp/aws"]', 'provider["hashicorp/aws"].east'),
    ),
    "taint": ((*_EDIT, _ALL),),
    "untaint": ((*_EDIT, _ALL),),
    "forget-deposed": ((*_EDIT, _ALL),),
    "set": ((*_EDIT, _ALL, 'size="y"'),),
    "unset": ((*_EDIT, _ALL, "id"),),
    "set-serial": ((*_EDIT, "99"),),
    "new-lineage": (_EDIT,),
    "plan": (("some.stateops.hcl",), ("--as-blocks", "some.stateops.hcl")),
    "apply": (("--yes", "some.stateops.hcl"),),
    "split": (
        ("--suggest", "s.tfstate"),
        *(
            ("--by", kind, "--into", "{name}.tfstate", "--drop-dependencies", "--out", "-", "s.tfstate")
            for kind in ("module", "module-instance", "provider", "region", "community")
        ),
        ("--select", "**.t.*=new.tfstate", "--drop-dependencies", "--yes", "s.tfstate"),
    ),
    "join": (("--into", "new.tfstate", "--create", "--yes", "s.tfstate"),),
    "copy": (("s.tfstate", "copy.tfstate"),),
    "fleet index": (("--workers", "1", "--attributes", "--into", "all.duckdb", "s.tfstate", "t.tfstate"),),
    "encryption-info": (("s.tfstate",),),
    "repair": (
        ("s.tfstate",),
        ("--format", "json", "s.tfstate"),
        ("--format", "decisions", "s.tfstate"),
        ("--keep", "first", "--yes", "s.tfstate"),
        ("--choose", "ADR002 * keep=last", "--yes", "s.tfstate"),
    ),
    "log": (_STATE, (*_STATE, "--format", "json", _ALL)),
    "reconcile": (("s.tfstate", "--with", "t.tfstate"), ("--format", "json", "s.tfstate", "--with", "t.tfstate")),
    "salvage": (
        ("s.tfstate",),
        ("--verbose", "--format", "json", "s.tfstate"),
        ("--from", "t.tfstate", "-o", "new.tfstate", "--yes", "s.tfstate"),
    ),
    "git-driver": (("textconv", "s.tfstate"),),
}

_NO_STATE: Final = "reads no state"
_INDEX: Final = "reads an index, in SQL"
_METHOD: Final = "the cipher takes most of the time; states are read and written as by the others"
_EDITED: Final = "an edit before it is needed, which others have"

# The other commands, with a reason.
LEFT_OUT: Final[dict[str, str]] = {
    "where": _NO_STATE,
    "workspaces": _NO_STATE,
    "rule": _NO_STATE,
    "releases": _NO_STATE,
    "schemas": _NO_STATE,
    "locks": _NO_STATE,
    "unlock": _NO_STATE,
    "help": _NO_STATE,
    "version": _NO_STATE,
    "git-config": _NO_STATE,
    "versions": "needs a service",
    "blame": "reads the versions of a state as `log` does, for one instance",
    "move-backend": "needs two backends; copies bytes",
    "fleet check": _INDEX,
    "fleet query": _INDEX,
    "fleet duplicates": _INDEX,
    "fleet graph": _INDEX,
    "fleet diff": _INDEX,
    "encrypt": _METHOD,
    "decrypt": _METHOD,
    "reencrypt": _METHOD,
    "edit": "needs an editor; its result is read and compared as by the others",
    "undo": _EDITED,
    "restore": _EDITED,
    "history": _EDITED,
}
# Commands in neither table read the state.
COMMANDS: Final = GIVEN | {name: (_STATE,) for name in PROGRAM if name not in {*GIVEN, *LEFT_OUT}}
