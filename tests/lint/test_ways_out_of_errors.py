"""Every rule of severity error has a command that does away with what it finds; here each is run on all its fixtures.

What has none is listed with the reason. Rules that compare a state with a configuration have theirs in
`test_ways_out.py`, those about schemas in `schemas/test_ways_out.py`.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Final

from statefmt.cli.main import main
from statefmt.lint.registry import all_pages, all_rules
from statefmt.model.findings import Code, Severity
from tests.cli.encrypted import configuration, encrypted
from tests.lint.states import CANONICAL
from tests.lint.test_fixtures import FOR, STATES, check_as, methods_of
from tests.tables import each_row

_AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
_LINEAGE: Final = re.compile(rb'"lineage": *"([^"]*)"')
_DOWNGRADE: Final = "downgrade --in-place --for RELEASE"

# By rule, or by fixture if that needs another one. RELEASE is the one the fixture is checked for, FILE the state, and
# BACKUP a good state of its lineage.
_COMMANDS: Final = {
    "ADR001": "repair --choose 'ADR001 * module=module.network'",
    "ADR002": "repair --choose 'ADR002 * keep=first'",
    "ADR003": "repair --choose 'ADR003 * forget'",
    "ADR003/fail-none": "repair --choose 'ADR003 * managed'",
    "ADR004": "repair "
    + " ".join(f"--choose 'ADR004 /resources/0/instances/{place}/index_key value={place}'" for place in range(3)),
    "ADR008/fail-copied-null-resource": "rm null_resource.b",
    "ADR008/fail-flat-and-not": "rm aws_vpc.old",
    "ADR008/fail-same-provider-otherwise-spelled": "rm aws_vpc.old",
    "ADR008/fail-two-addresses": """rm 'module.net["a"].aws_vpc.old'""",
    "ADR008/fail-within-one-resource": "rm 'aws_eip.nat[2]'",
    "CHK001": "repair --choose 'CHK001 * remove'",
    "DEP001": "repair --choose 'DEP001 * remove'",
    "ENC001": "restore BACKUP",
    "INS001": "repair --choose 'INS001 * ready'",
    "INS002": "repair --choose 'INS002 * new-key'",
    "INS003": "repair --choose 'INS003 * drop-invalid'",
    "INS011": "repair --choose 'INS011 * remove'",
    "OUT001": "repair --choose 'OUT001 * implied'",
    "OUT002": "repair --choose 'OUT002 * implied'",
    "PRV002": f"repair --choose 'PRV002 * provider={_AWS}'",
    "PRV003": f"repair --choose 'PRV003 * provider={_AWS}.west'",
    "PRV004": f"repair --choose 'PRV004 * provider={_AWS}'",
    "PRV004/fail-key-on-resource": "repair --choose 'PRV004 * instances'",
    "PRV005": f"""repair --choose 'PRV005 * provider={_AWS}.by_region["us-west-2"]'""",
    "PRV006": f"repair --choose 'PRV006 * provider={_AWS}'",
    "REL001": f"rebind aws_instance.web '{_AWS}' --new-provider",
    "REL001/fail-legacy-address-for-terraform-1.5": f"{_DOWNGRADE} --registry terraform",
    "REL001/fail-legacy-namespace-for-terraform-1.11": f"{_DOWNGRADE} --registry terraform",
    "REL001/fail-nothing-at-all-for-opentofu-1.8": "rm aws_instance.web",
    "REL002": f"{_DOWNGRADE} --drop-lossy",
    "REL002/fail-unknown-check-for-opentofu-1.13": f"{_DOWNGRADE} --drop-unknown",
    "REL002/fail-unknown-for-opentofu-1.13": f"{_DOWNGRADE} --drop-unknown",
    "REL003": f"{_DOWNGRADE} --drop-lossy",
    "REL003/fail-encrypted-for-terraform-1.16-opened-by-new": "decrypt --in-place",
    "REL003/fail-format-3-for-opentofu-1.13": "upgrade --in-place",
    "STA001/fail-cut": "restore BACKUP",
    "STA001/fail-empty": "restore BACKUP",
    "STA001/fail-no-version": "salvage FILE --out SALVAGED",
    "STA001/fail-version-is-text": "salvage FILE --out SALVAGED",
    "STA002": "restore BACKUP",
    "STA004": "repair --choose 'STA004 * remove'",
    "STA004/fail-name-is-a-number": """repair --choose 'STA004 * value="web"'""",
    "STA005": "repair --choose 'STA005 * forget'",
    "STA006": "repair --choose 'STA006 * release=1.9.0'",
    "STA013": "restore BACKUP",
    "STA019": "fmt",
    "STA019/fail-format-3": "upgrade --in-place --registry opentofu",
}
_NO_COMMAND: Final = {
    "ENC007": "it is for a statetool that knows the version of the envelope",
    "REL001/fail-source-address-for-terraform-0.12": "no state that this release reads can say where its provider is",
    "REL003/fail-encrypted-for-opentofu-1.6": "without the encryption configuration, no command decrypts it",
    "REL003/fail-key-provider-for-opentofu-1.9": "without the encryption configuration, no command decrypts it",
    "STA001/fail-array": "nothing of a state is in it: the path is wrong",
    "STA001/fail-not-json": "nothing of a state is in it: the path is wrong",
    "STA003": "the way out is the encryption configuration, an option of every command",
    "STA012": "the way out is another argument: the folder of the configuration",
}
# Rules of these prefixes look at something else than a state alone.
_ELSEWHERE: Final = {
    "CFG": "the way out is a change of the configuration",
    "CFS": "test_ways_out.py",
    "LIF": "what an apply did is done; the findings are about the providers and the engine",
    "PLN": "the way out is another plan",
    "SCH": "schemas/test_ways_out.py",
}
# What shows only once the state can be read, or is the price that the command names.
_ALSO: Final = {
    Code.NOT_CANONICAL: "shows only once a state can be read",
    Code.NOT_ENCRYPTED: "`decrypt` writes it in plain text for a release that reads nothing else",
    Code.DEPOSED_LEFT_OVER: "shows only once the deposed key can be read",
    Code.RELEASE_UNKNOWN: "`downgrade` drops the name of a release newer than RELEASE, which refuses it",
}


def _label(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def _of(table: dict[str, str], fixture: Path) -> str:
    """What a table has for a fixture, or else for its rule; "" if nothing."""
    return table.get(_label(fixture)) or table.get(fixture.parent.name, "")


_ERRORS: Final = [path for path in STATES if all_rules()[path.parent.name].severity is Severity.ERROR]
_WITH_COMMAND: Final = [path for path in _ERRORS if not _of(_NO_COMMAND, path)]


def _found(state: Path, fixture: Path) -> set[tuple[str, str, str]]:
    found = check_as(fixture, state.read_bytes())
    return {(finding.code, finding.address, finding.detail) for finding in found}


def _backup(state: Path, methods: list[str]) -> Path:
    """A good state with the lineage that the fixtures have; encrypted if the state is."""
    match = _LINEAGE.search(state.read_bytes())
    plain = CANONICAL.replace(b"3f1c2a77", match[1] if match else b"3f1c2a77")
    path = state.with_suffix(".backup")
    path.write_bytes(encrypted(plain, *methods) if methods else plain)
    return path


def _command(state: Path, fixture: Path) -> list[str]:
    """The command for a copy of a fixture."""
    release, methods = FOR.search(fixture.stem), methods_of(fixture)
    words = {
        "FILE": str(state),
        "SALVAGED": str(_written(state)),
        "BACKUP": str(_backup(state, methods)),
        "RELEASE": release[1] if release else "",
    }
    name, *arguments = [words.get(word, word) for word in shlex.split(_of(_COMMANDS, fixture))]
    if methods:
        settings = state.with_name("encryption.json")
        settings.write_text(json.dumps(configuration(*methods)))
        arguments += ["--encryption", str(settings)]
    return [name, *arguments, "--yes", *([] if name == "salvage" else ["--state", str(state)])]


def _written(state: Path) -> Path:
    return state.with_name("salvaged.tfstate")


@each_row("fixture", _WITH_COMMAND, ids=_label)
def test_the_command_does_away_with_the_finding_and_adds_none(fixture: Path, tmp_path: Path) -> None:
    state = tmp_path / "terraform.tfstate"
    state.write_bytes(STATES[fixture])
    before = _found(state, fixture)
    command = _command(state, fixture)
    assert main(command) == 0
    after = _found(_written(state) if command[0] == "salvage" else state, fixture)
    assert {found for found in after if found[0] == fixture.parent.name} == set()
    assert {found for found in after - before if found[0] not in _ALSO} == set()


@each_row("code", [code for code, rule in all_rules().items() if rule.severity is Severity.ERROR])
def test_the_page_names_the_command(code: str) -> None:
    *_, advice = all_pages()[code].text.partition("## What to do")
    named = {_of(_COMMANDS, path).split()[0] for path in _WITH_COMMAND if path.parent.name == code}
    assert [name for name in named if f"`statetool {name}" not in advice] == []


def test_every_error_has_a_command_or_a_reason() -> None:
    labels = {_label(path) for path in _ERRORS} | {path.parent.name for path in _ERRORS}
    assert (_COMMANDS.keys() | _NO_COMMAND.keys()) - labels == set()
    assert _COMMANDS.keys() & _NO_COMMAND.keys() == set()
    assert [_label(path) for path in _ERRORS if not _of(_COMMANDS, path) and not _of(_NO_COMMAND, path)] == []
    codes = {path.parent.name for path in _ERRORS}
    others = {code for code, rule in all_rules().items() if rule.severity is Severity.ERROR} - codes
    assert {code[:3] for code in others} == set(_ELSEWHERE)
