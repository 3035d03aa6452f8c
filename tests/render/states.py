"""Findings to render, made by hand so that they stay the same while rules change their words."""

from __future__ import annotations

from dataclasses import replace

from statefmt.formats.raw_json.positions import Position
from statefmt.lint.checked import CheckedState
from statefmt.model.findings import Finding, Fix, Severity

ERROR = Finding(
    "ADR002",
    Severity.ERROR,
    "Duplicate resource instance in state",
    'Instance aws_s3_bucket.logs["us-west-2"] appears more than once in the state.',
    'aws_s3_bucket.logs["us-west-2"]',
    "/resources/0/instances/2",
)
WARNING = Finding(
    "PRV001",
    Severity.WARNING,
    "Provider field conflict in state",
    'Resource module.network["a key with spaces"].aws_s3_bucket.logs has the provider address '
    'provider["registry.opentofu.org/hashicorp/aws"].by_region, and its instance '
    'module.network["a key with spaces"].aws_s3_bucket.logs["eu-west-1"] has another one.',
    'module.network["a key with spaces"].aws_s3_bucket.logs["eu-west-1"]',
    "/resources/1/instances/0/provider",
    Fix.of("`statetool fmt` writes the one level that is needed."),
)
INFO = Finding(
    "STA007",
    Severity.INFO,
    "Not in canonical form",
    "The file is not in the bytes that OpenTofu would write: it is not in canonical form.",
    fix=Fix.of("statetool fmt"),
)
NO_DETAIL = Finding(
    "ADR005", Severity.WARNING, "Resource spread over several blocks", "", "aws_eip.nat[0]", "/resources/2/instances/0"
)
LOWER_CASE = Finding(
    "STA010",
    Severity.INFO,
    "Not carried over while upgrading the state format",
    "its dependencies (aws_security_group.web).",
    "aws_instance.web",
    "/modules/0/resources/aws_instance.web/depends_on",
)
NO_STATE = Finding("STA001", Severity.ERROR, "Unsupported state file format", "The file is empty.")
# What a state from anywhere can bring along: escapes for the terminal, commands for a CI system, ends of elements.
HOSTILE = Finding(
    "ADR009",
    Severity.ERROR,
    "Invalid identifier",
    "The name \x1b[2J\x1b[31mred, ]]></failure>\n::error::x\r\n\u202eevil\x00\x85\ufffe is none.",
    'a.\x1b]0;title\x07\n::add-mask::<b attr="1">&amp;100%,x:y\u2028\x0b',
    "/resources/0/name",
    Fix.of("line one\nline two: 100%, really"),
)

PLACES = {
    ERROR.pointer: Position(12, 9),
    WARNING.pointer: Position(1234, 11),
    INFO.pointer: Position(1, 1),
    NO_DETAIL.pointer: Position(70, 9),
    LOWER_CASE.pointer: Position(16, 21),
    HOSTILE.pointer: Position(2, 3),
}


def state(*findings: Finding, name: str = "terraform.tfstate", hidden: int = 0) -> CheckedState:
    """A checked state with some findings, of which the place is known where PLACES has it."""
    places = {finding.pointer: PLACES[finding.pointer] for finding in findings if finding.pointer in PLACES}
    return CheckedState(name, findings, places, hidden)


CLEAN = state()
SEVERAL = (
    state(ERROR, WARNING, INFO, NO_DETAIL, LOWER_CASE, name="envs/production/terraform.tfstate", hidden=3),
    state(name="envs/clean/terraform.tfstate", hidden=1),
    replace(state(NO_STATE, name="envs/empty.tfstate"), positions={}),
)


def hundred() -> CheckedState:
    """A state with a hundred findings of three kinds."""
    findings, places = [], {}
    for number in range(100):
        kind = (ERROR, NO_DETAIL, WARNING)[number % 3]
        address = f"{kind.address.partition('[')[0]}[{number}]" if kind is not WARNING else f"aws_s3_bucket.b{number}"
        pointer = f"/resources/{number}"
        findings.append(replace(kind, address=address, pointer=pointer))
        places[pointer] = Position(7 + 31 * number, 5)
    return CheckedState("terraform.tfstate", tuple(findings), places)
