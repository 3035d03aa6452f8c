"""`statefmt.open` and what a State says without an edit."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt import addrs
from tests.cli.encrypted import configuration, configured, encrypted
from tests.cli.states import SAMPLES
from tests.tables import each_row

_REGIONS: Final = SAMPLES / "v4-regions.tfstate"
_AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _addresses(found: tuple[statefmt.Instance, ...]) -> list[str]:
    return [str(instance.address) for instance in found]


@pytest.mark.parametrize("location", [_REGIONS, str(_REGIONS)])
def test_a_path(location: str | Path) -> None:
    state = statefmt.open(location)
    document = json.loads(_REGIONS.read_bytes())
    assert (state.location, state.version, state.serial) == (str(_REGIONS), 4, document["serial"])
    assert state.lineage == document["lineage"]
    assert not state.is_encrypted
    assert {str(resource.addr) for resource in state.resources} >= {"aws_vpc.main", "aws_iam_role.app"}
    assert list(state.outputs) == list(document["outputs"])
    assert state.snapshot == statefmt.read(_REGIONS.read_bytes()).snapshot


def test_an_old_format() -> None:
    state = statefmt.open(SAMPLES / "v1-legacy.tfstate")
    assert (state.version, state.serial) == (1, 12)
    assert "module.network.aws_vpc.main" in _addresses(state.select())


def test_instances() -> None:
    state = statefmt.open(_REGIONS)
    (web,) = state.select('aws_instance.web["eu-west-1"]')
    assert (web.type, web.name, web.mode, web.key) == (
        "aws_instance",
        "web",
        addrs.ResourceMode.MANAGED,
        addrs.StringKey("eu-west-1"),
    )
    assert str(web) == str(web.address) == 'aws_instance.web["eu-west-1"]'
    assert str(web.provider) == f'{_AWS}.by_region["eu-west-1"]'
    assert web.module == addrs.ModuleInstance()
    written = next(
        one["attributes"]["id"]
        for block in json.loads(_REGIONS.read_bytes())["resources"]
        if block["type"] == "aws_instance" and not block.get("module")
        for one in block["instances"]
        if one.get("index_key") == "eu-west-1" and not one.get("deposed")
    )
    assert web.id == written


@pytest.mark.parametrize(
    ("sample", "statuses"), [("v4-deposed", {"ready", "deposed"}), ("v4-resource-level", {"ready", "tainted"})]
)
def test_status(sample: str, statuses: set[str]) -> None:
    path = SAMPLES / f"{sample}.tfstate"
    document = json.loads(path.read_bytes())
    expected: dict[str, str] = {}
    for block in document["resources"]:
        for one in block["instances"]:
            key = f"[{json.dumps(one['index_key'])}]" if "index_key" in one else ""
            mode, module = "data." * (block["mode"] == "data"), f"{block['module']}." if "module" in block else ""
            name = f"{module}{mode}{block['type']}.{block['name']}{key}"
            if "deposed" in one:
                expected.setdefault(name, "deposed")
            else:
                expected[name] = one.get("status", "ready")
    found = statefmt.open(path).select()
    assert {str(instance): instance.status for instance in found} == expected
    assert set(expected.values()) == statuses
    assert all((instance.status == "deposed") is (instance.current is None) for instance in found)
    assert all(instance.current or instance.deposed for instance in found)


def test_selection() -> None:
    state = statefmt.open(_REGIONS)
    everything = _addresses(state.select())
    vpcs = ['aws_vpc.main["eu-west-1"]', 'aws_vpc.main["us-west-2"]']
    assert _addresses(state.select("aws_vpc.main")) == vpcs
    assert _addresses(state.select(addrs.parse_abs_resource("aws_vpc.main"))) == vpcs
    assert _addresses(state.select(type="aws_vpc")) == vpcs
    assert _addresses(state.select(*state.select("aws_vpc.main"))) == vpcs
    assert _addresses(state.select("aws_vpc.main", exclude=vpcs[0])) == vpcs[1:]
    assert set(_addresses(state.select(mode="data"))) == {one for one in everything if ".data." in f".{one}"}
    provider = addrs.parse_abs_provider_instance('provider["hashicorp/aws"].by_region["eu-west-1"]')
    by_typed = _addresses(state.select(provider=provider))
    assert by_typed == _addresses(state.select(provider='aws.by_region["eu-west-1"]'))
    assert vpcs[0] in by_typed
    assert vpcs[1] not in by_typed
    (one,) = state.select(vpcs[0])
    assert _addresses(state.select(id=one.id or "")) == vpcs[:1]
    assert _addresses(state.select(where=f"id={one.id}", type=["aws_vpc", "aws_instance"])) == vpcs[:1]


def test_a_typed_address_is_no_pattern() -> None:
    state = statefmt.open(_REGIONS)
    star = addrs.parse_abs_resource("aws_vpc.main").instance(addrs.StringKey("*"))
    assert len(state.select(str(star))) == 2
    with pytest.raises(statefmt.NoMatchError):
        state.select(star)


def test_a_typed_address_with_a_wildcard_in_its_key(tmp_path: Path) -> None:
    path = tmp_path / "s.tfstate"
    path.write_bytes(_REGIONS.read_bytes().replace(b'"index_key": "eu-west-1"', rb'"index_key": "a\\*?"'))
    star = addrs.parse_abs_resource("aws_vpc.main").instance(addrs.StringKey("a\\*?"))
    assert [instance.address for instance in statefmt.open(path).select(star)] == [star]


def test_errors_have_a_code_an_address_and_a_location(tmp_path: Path) -> None:
    state = statefmt.open(_REGIONS)
    with pytest.raises(statefmt.NoMatchError) as unmatched:
        state.select("aws_vpc.none")
    error: statefmt.StatetoolError = unmatched.value
    assert (error.code, error.address, error.location) == ("no-match", "aws_vpc.none", str(_REGIONS))
    missing = tmp_path / "none.tfstate"
    with pytest.raises(statefmt.StoreError) as absent:
        statefmt.open(missing)
    assert (absent.value.code, absent.value.address, absent.value.location) == ("store", None, str(missing))
    broken = SAMPLES / "broken" / "duplicate-instance.tfstate"
    with pytest.raises(statefmt.StateError) as refused:
        statefmt.open(broken)
    (reason, *_) = refused.value.reasons
    assert (refused.value.code, refused.value.address) == (reason.code, reason.address)
    assert refused.value.location == str(broken)


@each_row("error", [name for name in dir(statefmt) if name.endswith("Error")])
def test_all_errors_have_one_root(error: str) -> None:
    assert issubclass(getattr(statefmt, error), statefmt.StatetoolError)


def test_kinds_of_state_errors(tmp_path: Path) -> None:
    with pytest.raises(statefmt.EncryptedStateError):
        statefmt.open(SAMPLES / "encrypted.tfstate")
    (tmp_path / "text").write_text("no state")
    with pytest.raises(statefmt.NotAStateError):
        statefmt.open(tmp_path / "text")
    (tmp_path / "new").write_text('{"version": 5}')
    with pytest.raises(statefmt.UnsupportedStateError):
        statefmt.open(tmp_path / "new")


def test_standard_input_is_no_place() -> None:
    with pytest.raises(statefmt.StoreError, match="read it and call"):
        statefmt.open("-")


def test_a_state_that_is_read_on_first_use(tmp_path: Path) -> None:
    state = statefmt.open(tmp_path / "none.tfstate", read=False)
    with pytest.raises(statefmt.StoreError, match="no such file"):
        _ = state.snapshot
    shutil.copy(_REGIONS, tmp_path / "none.tfstate")
    assert state.serial == 58


def test_a_version_in_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(_REGIONS, "terraform.tfstate")
    user = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], [*user, "commit", "-qm", "one"]):
        subprocess.run(["git", *command], check=True)
    Path("terraform.tfstate").unlink()
    context = statefmt.run_context(environment=os.environ)
    state = statefmt.open("git:HEAD:terraform.tfstate", context=context)
    assert state.serial == 58
    with pytest.raises(statefmt.StoreError, match="cannot be edited"), state.edit() as edit:
        edit.taint("aws_vpc.main")
    with state.edit(out="new.tfstate") as edit:
        edit.set_serial(70)
    assert statefmt.open("new.tfstate").serial == 70


@pytest.mark.parametrize("form", ["path", "mapping", "text", "bytes", "configuration", "TF_ENCRYPTION"])
def test_encrypted(tmp_path: Path, form: str) -> None:
    path, text = tmp_path / "s.tfstate", json.dumps(configuration("old"))
    path.write_bytes(encrypted(_REGIONS.read_bytes(), "old"))
    (tmp_path / "encryption.json").write_text(text)
    context = statefmt.run_context(environment={"TF_ENCRYPTION": text}) if form == "TF_ENCRYPTION" else None
    forms: dict[str, Any] = {
        "path": tmp_path / "encryption.json",
        "mapping": configuration("old"),
        "text": text,
        "bytes": text.encode(),
        "configuration": configured("old"),
    }
    state = statefmt.open(path, encryption=forms.get(form), context=context)
    assert state.is_encrypted
    assert state.snapshot.resources == statefmt.open(_REGIONS).snapshot.resources
    with state.edit("encrypted") as edit:
        edit.set_serial(90)
    assert b"aws_vpc" not in path.read_bytes()
    assert (state.serial, state.is_encrypted) == (90, True)
    assert state.undo().serial == 91


def test_the_environment_of_the_process_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.tfstate"
    path.write_bytes(encrypted(_REGIONS.read_bytes(), "old"))
    monkeypatch.setenv("TF_ENCRYPTION", json.dumps(configuration("old")))
    with pytest.raises(statefmt.EncryptedStateError):
        statefmt.open(path)
    assert statefmt.open(path, context=statefmt.run_context(environment=os.environ)).is_encrypted


def test_variables_of_a_configuration_come_from_the_context(tmp_path: Path) -> None:
    path = tmp_path / "encryption.hcl"
    path.write_text(
        'key_provider "pbkdf2" "sample" {\n  passphrase = var.passphrase\n}\n'
        'method "aes_gcm" "sample" {\n  keys = key_provider.pbkdf2.sample\n}\n'
        "state {\n  method = method.aes_gcm.sample\n}\n"
    )
    context = statefmt.run_context(environment={"TF_VAR_passphrase": "a sample passphrase, never to be used"})
    state = statefmt.open(SAMPLES / "encrypted.tfstate", encryption=path, context=context)
    assert state.resources == statefmt.open(SAMPLES / "v4-resource-level.tfstate").resources
    with pytest.raises(statefmt.ConfigurationError, match=r"var\.passphrase has no value") as refused:
        statefmt.open(SAMPLES / "encrypted.tfstate", encryption=path)
    assert refused.value.location == str(SAMPLES / "encrypted.tfstate")


def test_check_and_diff() -> None:
    old, new = statefmt.open(_REGIONS), statefmt.open(SAMPLES / "v4-regions-later.tfstate")
    assert old.check() == statefmt.check(_REGIONS.read_bytes(), name=str(_REGIONS))
    assert {finding.code for finding in old.check(select=["INS"])} <= {finding.code for finding in old.check()}
    assert old.diff(new) == old.diff(new.snapshot) == statefmt.diff(old.snapshot, new.snapshot)
    assert old.diff(new).moved
    assert not old.diff(old)


def test_reload(tmp_path: Path) -> None:
    path = tmp_path / "s.tfstate"
    shutil.copy(_REGIONS, path)
    state = statefmt.open(path)
    path.write_bytes(_REGIONS.read_bytes().replace(b'"serial": 58', b'"serial": 60'))
    assert state.serial == 58
    state.reload()
    assert state.serial == 60
    path.write_bytes(b"{")
    with pytest.raises(statefmt.StateError):
        state.reload()
    assert state.serial == 60


def test_progress_can_cancel() -> None:
    class Cancelled(Exception):  # noqa: N818 - as programs name it
        pass

    def progress(name: str, done: int, total: int, unit: str) -> None:
        raise Cancelled(name)

    state = statefmt.open(_REGIONS)
    assert state.serial == 58
    with pytest.raises(Cancelled), statefmt.open(_REGIONS, context=statefmt.run_context(progress=progress)).edit():
        pass


def test_threads_may_use_different_states(tmp_path: Path) -> None:
    problems: list[BaseException] = []

    def work(number: int) -> None:
        try:
            path = tmp_path / f"{number}.tfstate"
            shutil.copy(_REGIONS, path)
            state = statefmt.open(path)
            for _ in range(3):
                with state.edit() as edit:
                    edit.move("aws_vpc.main", "aws_vpc.net")
                    edit.move("aws_vpc.net", "aws_vpc.main")
                    edit.taint("aws_vpc.main")
                state.undo()
            assert state.serial == 64
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
