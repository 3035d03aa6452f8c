"""What every command is run with on an encrypted state that has a secret in it; `%s` is the state."""

from __future__ import annotations

from typing import Final, NamedTuple

from statefmt.cli.names import COMMANDS
from tests.cli.states import SAMPLES

REGIONS: Final = (SAMPLES / "v4-regions.tfstate").read_bytes()
# A secret in the state: an attribute, and a part of an output.
CANARY: Final = b"canary-7f3a"
WITH_CANARY: Final = REGIONS.replace(b'"192.0.2.10"', b'"canary-7f3a"')


class Line(NamedTuple):
    """Arguments, what is run before, the exit status, and whether the state itself is written."""

    text: str
    before: str = ""
    status: int = 0
    writes: bool = False


# Gives an instance a number, so that the keys of a resource are of two kinds, and mends that.
_MIXED: Final = 'mv --state %s aws_instance.web["eu-west-1"] aws_instance.web[0]'
DECISIONS: Final = "ADR006 aws_instance.web strings\n"
_WEB: Final = 'aws_instance.web["eu-west-1"]'
# It leaves dependencies on what is not in the state any more.
_RM_DATA: Final = "rm --keep-dangling -y --state %s data.aws_caller_identity.current"

_GIVEN: Final[dict[str, list[Line]]] = {
    "list": [Line("list --state %s"), Line("list --long --format json --state %s")],
    "show": [Line("show --state %s **"), Line("show --show-sensitive --format json --state %s **")],
    "providers": [Line("providers %s"), Line("providers --format json %s")],
    "outputs": [Line("outputs %s"), Line("outputs %s --show-sensitive addresses")],
    "fleet index": [Line("fleet index %s --into index")],
    "graph": [Line("graph %s"), Line("graph --format text %s")],
    "grep": [Line("grep web %s"), Line("grep --format json --show-sensitive e %s"), Line("grep absent %s", status=1)],
    "check": [
        Line("check %s"),
        Line("check --for 1.8 --format json %s", status=1),
        Line("check --write-baseline baseline %s"),
        Line("check --diff --unsafe-fixes %s", _RM_DATA, status=1),
        Line("check --fix --unsafe-fixes %s", _RM_DATA, writes=True),
        Line("check --plan configuration/plan.json %s", status=1),
    ],
    "simulate": [Line("simulate %s --config configuration --without eu-west-1", status=1)],
    "adopt": [Line("adopt %s --config configuration"), Line("adopt %s --config configuration --format json")],
    "log": [Line("log --state %s"), Line("log --state %s ** --format json")],
    "blame": [Line(f"blame --state %s {_WEB}"), Line(f"blame --state %s {_WEB} --format json")],
    "diff": [Line("diff %s %s"), Line("diff before %s --show-sensitive", status=1), Line("diff %s before", status=1)],
    "merge": [Line("merge before %s %s", status=0), Line("merge before before %s --out new")],
    "verify": [Line("verify configuration/plan.json --before %s --after %s", status=1)],
    "plan-show": [Line("plan-show configuration/plan.json --config configuration --state %s", status=1)],
    "fmt": [
        Line("fmt %s --style compact", writes=True),
        Line("fmt --check %s"),
        Line("fmt --stdout --style compact %s"),
    ],
    "upgrade": [
        Line("upgrade %s --in-place --registry terraform", writes=True),
        Line("upgrade %s -o new"),
        Line("upgrade %s"),
    ],
    "downgrade": [Line("downgrade %s --for 1.12 -o new"), Line("downgrade %s --for 1.8", status=2)],
    "mv": [
        Line("mv --state %s aws_vpc.main aws_vpc.net", writes=True),
        Line("mv --state %s aws_vpc.main aws_vpc.net --out new"),
        Line("mv --state %s aws_vpc.main aws_vpc.net --backup elsewhere", writes=True),
        Line("mv --state %s aws_vpc.main aws_vpc.net --dry-run"),
    ],
    "rm": [Line("rm --state %s -y aws_vpc.main", writes=True)],
    "rekey": [Line("rekey --state %s aws_instance.web --map eu-west-1=a,us-west-2=b", writes=True)],
    "rebind": [Line(f'rebind --state %s {_WEB} aws.by_region["eu-north-1"]', writes=True)],
    "replace-provider": [Line("replace-provider --state %s -y --new-provider hashicorp/aws acme/aws", writes=True)],
    "taint": [Line("taint --state %s aws_iam_role.app", writes=True)],
    "untaint": [Line("untaint --state %s aws_iam_role.app", "taint --state %s aws_iam_role.app", writes=True)],
    "forget-deposed": [Line("forget-deposed --state %s -y **", writes=True)],
    "set": [
        Line(f'set --state %s -y {_WEB} instance_type="t3.large"', writes=True),
        Line(f"set --state %s -y {_WEB} --from-env instance_type=CANARY", writes=True),
    ],
    "unset": [Line(f"unset --state %s -y {_WEB} instance_type", writes=True)],
    "edit": [
        # The editor is in EDITOR; its copy is in memory.
        Line("edit --state %s -y", "", writes=True),
        Line(f"edit --state %s -y {_WEB}", writes=True),
        Line("edit --state %s --dry-run"),
    ],
    "set-serial": [Line("set-serial --state %s -y 1000", writes=True)],
    "new-lineage": [Line("new-lineage --state %s -y", writes=True)],
    "encryption-info": [Line("encryption-info %s"), Line("encryption-info --format json %s")],
    "encrypt": [Line("encrypt %s -i", status=2)],
    "decrypt": [Line("decrypt %s")],
    "reencrypt": [
        Line("reencrypt %s -i --anew", writes=True),
        Line("reencrypt %s -o new"),
        Line("reencrypt --check %s", status=1),
    ],
    "reconcile": [
        Line("reconcile before --with %s", status=1),
        Line("reconcile %s --with %s --format json"),
        Line("reconcile before --with %s --format json --show-sensitive", status=1),
    ],
    "repair": [
        Line("repair %s"),
        Line("repair --format json %s"),
        Line("repair --format decisions %s"),
        Line("repair %s", _MIXED, status=1),
        Line("repair %s -y --decisions configuration/decisions", _MIXED, writes=True),
        Line("repair %s --dry-run --decisions configuration/decisions", _MIXED),
    ],
    "salvage": [
        Line("salvage %s --format json --verbose --show-sensitive"),
        Line("salvage %s -o new"),
        Line("salvage %s --from before --from-backups --include-uncertain -o new"),
    ],
    "undo": [
        Line("undo %s -y", "mv --state %s aws_vpc.main aws_vpc.net", writes=True),
        Line("undo %s -y --dry-run", "mv --state %s aws_vpc.main aws_vpc.net"),
    ],
    "restore": [
        Line("restore before -y --state %s", writes=True),
        Line("restore before -y --state %s --out new"),
        Line("restore before --state missing", writes=False),
    ],
    "split": [
        Line("split %s --select aws_vpc.main=new -y", writes=True),
        Line("split %s --by provider --into {name} --dry-run"),
        Line("split %s --by provider --into {name} --out new.stateops.hcl"),
    ],
    "join": [
        Line("join %s --into before", status=2),
        Line("join %s --into new --create -y", writes=True),
        Line("join %s --into new --create --dry-run"),
    ],
    "history": [
        Line("history %s --prune --older-than 0h -y", "mv --state %s aws_vpc.main aws_vpc.net"),
        Line("history %s", "mv --state %s aws_vpc.main aws_vpc.net"),
        Line("history %s --keep 1", "mv --state %s aws_vpc.main aws_vpc.net"),
    ],
    "versions": [Line("versions %s", status=2)],
    "locks": [Line("locks %s")],
    "unlock": [Line("unlock absent --state %s -y", status=2)],
    "copy": [Line("copy %s new")],
    "git-driver": [Line("git-driver textconv %s"), Line("git-driver diff s before 0 100644 %s 0 100644")],
}
# They take no state, or an operations file that names states.
WITHOUT_STATE: Final = frozenset(
    {
        *("apply", "git-config", "help", "move-backend", "moves", "plan", "releases", "rule", "schemas", "version"),
        *("fleet check", "fleet diff", "fleet duplicates", "fleet graph", "fleet query", "where", "workspaces"),
    }
)
# Commands in neither table read the state.
LINES: Final = _GIVEN | {
    name: [Line(f"{name} --state %s")] for name in COMMANDS if name not in {*_GIVEN, *WITHOUT_STATE}
}
# A configuration that states are held against.
PLAN: Final = '{"format_version": "1.2", "planned_values": {}}'
MAIN_TF: Final = 'provider "aws" {\n  for_each = toset(["eu-west-1"])\n  alias    = "by_region"\n}\n'
