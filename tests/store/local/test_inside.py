"""A state that only a folder names is opened where it was checked, and a link that replaces a part of it is refused."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import statefmt
from statefmt.edit.session import managed_store_at
from statefmt.model.errors import StoreError
from statefmt.store.files import InsideName, inside_name
from statefmt.store.protocol import WriteTerms
from tests.cli.states import resource, state

STATE = state(resource("terraform_data", "a"))


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """A clone with a state below it, and a victim with another one of the same name."""
    for name in ("clone/app", "victim"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x.tfstate").write_bytes(STATE)
    return tmp_path / "clone", tmp_path / "victim"


def _file(clone: Path, victim: Path) -> None:
    (clone / "app/x.tfstate").unlink()
    (clone / "app/x.tfstate").symlink_to(victim / "x.tfstate")


def _folder(clone: Path, victim: Path) -> None:
    (clone / "app").rename(clone / "before")
    (clone / "app").symlink_to(victim)


def _read(name: InsideName) -> object:
    return managed_store_at(statefmt.run_context(), name).read()


def _write(name: InsideName) -> object:
    context = statefmt.run_context()
    store = managed_store_at(context, name)
    with store.locked(context.lock_info(name, "test"), 0) as locked:
        return locked.write([STATE + b"\n"], locked.stored.version, WriteTerms(1))


def _create(name: InsideName) -> object:
    context = statefmt.run_context()
    store = managed_store_at(context, name, makes_folders=True)
    with store.locked_place(context.lock_info(name, "test"), 0) as locked:
        return locked.write([STATE], locked.stored.version, WriteTerms(1))


@pytest.mark.parametrize("use", [_read, _write, _create])
@pytest.mark.parametrize("swap", [_file, _folder])
def test_a_swap_after_the_check_is_refused(
    swap: Callable[[Path, Path], None], use: Callable[[InsideName], object], places: tuple[Path, Path]
) -> None:
    clone, victim = places
    name = inside_name(clone / "app/x.tfstate", (clone,))
    assert name is not None
    use(name)
    before = {path: path.read_bytes() for path in victim.iterdir()}
    swap(clone, victim)
    with pytest.raises(StoreError):
        use(name)
    assert {path: path.read_bytes() for path in victim.iterdir()} == before


def test_new_folders_are_made_where_they_were_checked(places: tuple[Path, Path]) -> None:
    clone, victim = places
    name = inside_name(clone / "new/more/x.tfstate", (clone,))
    assert name is not None
    (clone / "new").symlink_to(victim)
    with pytest.raises(StoreError):
        _create(name)
    assert [path.name for path in victim.iterdir()] == ["x.tfstate"]
    (clone / "new").unlink()
    _create(name)
    assert (clone / "new/more/x.tfstate").read_bytes() == STATE


def test_links_inside_are_followed(places: tuple[Path, Path]) -> None:
    clone, _ = places
    (clone / "link.tfstate").symlink_to("app/x.tfstate")
    name = inside_name(clone / "link.tfstate", (clone,))
    assert name is not None
    _write(name)
    assert (clone / "app/x.tfstate").read_bytes() == STATE + b"\n"
    assert (clone / "link.tfstate").is_symlink()


@pytest.mark.parametrize(
    ("path", "roots", "is_inside"),
    [
        ("clone/app/x.tfstate", ("clone",), True),
        ("clone/app/../app/x.tfstate", ("clone",), True),
        ("clone/app/x.tfstate", ("clone/ap",), False),
        ("victim/x.tfstate", ("clone",), False),
        ("victim/x.tfstate", ("clone", "victim"), True),
        ("victim/x.tfstate", ("clone", "victim/x.tfstate"), True),
        ("victim/y.tfstate", ("victim/x.tfstate",), False),
        ("clone/out", ("clone",), False),
        ("clone/away/back", ("clone",), False),
    ],
)
def test_inside_means_inside_after_links(
    path: str, roots: tuple[str, ...], is_inside: bool, places: tuple[Path, Path]
) -> None:
    clone, victim = places
    (clone / "out").symlink_to("../victim/x.tfstate")
    # The state is inside, but its backups would not be.
    (clone / "away").symlink_to("../victim")
    (victim / "back").symlink_to("../clone/app/x.tfstate")
    found = inside_name(clone.parent / path, [clone.parent / root for root in roots])
    assert (found is not None) is is_inside


def test_another_process_knows_the_place(places: tuple[Path, Path]) -> None:
    name = inside_name(places[0] / "app/x.tfstate", (places[0],))
    assert name is not None
    copy = pickle.loads(pickle.dumps(name))
    assert (copy, copy.place) == (name, name.place)
