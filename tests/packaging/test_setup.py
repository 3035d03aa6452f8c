"""`make demo` and `make setup` install what the lock names, and resolve nothing.

A local index serves the locked releases beside a newer release of each package that cannot be installed: the index as
it may be in two years. Each Python that this machine has is tried with the oldest pip that came with it.
"""

from __future__ import annotations

import http.server
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
import urllib.parse
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

import pytest
from packaging.tags import compatible_tags, cpython_tags
from packaging.utils import canonicalize_name, parse_wheel_filename

ROOT: Final = Path(__file__).resolve().parents[2]
_LOCK: Final = tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))
_PACKAGES: Final[list[dict[str, Any]]] = [package for package in _LOCK["package"] if "version" in package]
_PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
_MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")
_EXPORTS: Final = sorted((ROOT / "requirements").glob("*.txt"))
# The pip that ensurepip of the first release of each Python contains. Only 3.11 to 3.13 were seen to work.
_OLDEST_PIP: Final = {"3.11": "22.3", "3.12": "23.2.1", "3.13": "24.2", "3.14": "25.2", "3.15": "26.1"}
_PYTHONS: Final = sorted(re.findall(r"Python :: (3\.\d+)", "\n".join(_PROJECT["project"]["classifiers"])))


# The lock, and what follows from it


def test_requirements_are_exported_from_the_lock() -> None:
    uv = Path(sys.prefix, "bin", "uv")
    assert uv.exists(), "make setup installs uv"
    assert [path.stem for path in _EXPORTS] == ["all", "build", "dev", "docs", "run", "standard"]
    for path in _EXPORTS:
        text = path.read_text("utf-8")
        (command,) = re.findall(r"^#    uv (.*) --output-file \S+$", text, re.MULTILINE)
        assert "--frozen" in command
        exported = subprocess.run(
            [uv, *command.split()],
            cwd=ROOT,
            capture_output=True,
            check=True,
            text=True,
            env={**os.environ, "UV_OFFLINE": "1"},
        ).stdout
        assert _without_comments(text) == _without_comments(exported), f"{path.name}: run make exported"


def _without_comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_the_lock_is_made_from_this_pyproject() -> None:
    """The lock repeats what pyproject.toml asks for; uv refuses the lock if that has changed."""
    (project,) = (package for package in _LOCK["package"] if package["name"] == "statetool")
    metadata = project["metadata"]
    wanted = {("", line) for line in _PROJECT["project"]["dependencies"]}
    wanted |= {(extra, line) for extra in _PROJECT["project"]["optional-dependencies"] for line in _lines(extra)}
    assert {(extra, *_parts(line)) for extra, line in wanted} == {
        _entry(entry, re.search(r"extra == '(\S+)'", entry.get("marker", ""))) for entry in metadata["requires-dist"]
    }
    for group, lines in _PROJECT["dependency-groups"].items():
        named = {_parts(line)[0] for line in lines if isinstance(line, str)}
        assert named <= {entry["name"] for entry in metadata["requires-dev"][group]}, group


def _lines(extra: str) -> list[str]:
    """The requirements of an extra, with those of the extras that it names."""
    found: list[str] = []
    for line in _PROJECT["project"]["optional-dependencies"][extra]:
        others = re.fullmatch(r"statetool\[(.*)\]", line)
        found += [each for other in others[1].split(",") for each in _lines(other)] if others else [line]
    return found


def _parts(line: str) -> tuple[str, str, frozenset[str]]:
    from packaging.requirements import Requirement

    requirement = Requirement(line)
    return canonicalize_name(requirement.name), _ordered(str(requirement.specifier)), frozenset(requirement.extras)


def _entry(entry: Mapping[str, Any], extra: re.Match[str] | None) -> tuple[str, str, str, frozenset[str]]:
    return (
        extra[1] if extra else "", entry["name"], _ordered(entry.get("specifier", "")),
        frozenset(entry.get("extras", ())),
    )  # fmt: skip


def _ordered(specifier: str) -> str:
    return ",".join(sorted(specifier.split(",")))


def test_everything_that_is_locked_has_wheels() -> None:
    """The build of a source distribution would resolve its own requirements."""
    assert [package["name"] for package in _PACKAGES if not package.get("wheels")] == []


@pytest.mark.parametrize(
    ("names", "said"),
    [(("dev",), r"^DOWNLOAD := (\d+) MB$"), (("run", "build"), r"^\t@echo 'Making \$\(DEMO\): a download of (\d+) MB")],
    ids=["setup", "demo"],
)
def test_make_says_how_much_it_downloads(names: tuple[str, ...], said: str) -> None:
    """For Linux on x86-64 with Python 3.11, to within a tenth."""
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(36, 4, -1)] + ["manylinux2014_x86_64", "linux_x86_64"]
    tags = {*cpython_tags((3, 11), platforms=platforms), *compatible_tags((3, 11), "cp311", platforms)}
    text = "\n".join((ROOT / f"requirements/{name}.txt").read_text("utf-8") for name in names)
    wanted = dict(re.findall(r"^(\S+)==(\S+)(?: ;.*)? \\$", text, re.MULTILINE))
    total = 0
    for package in _PACKAGES:
        if wanted.get(package["name"]) == package["version"]:
            sizes = [wheel["size"] for wheel in package["wheels"] if tags & parse_wheel_filename(_file_name(wheel))[3]]
            total += min(sizes, default=0)
    (size,) = re.findall(said, _MAKEFILE, re.MULTILINE)
    assert 0.9 < total / 1e6 / int(size) < 1.1, total


def _file_name(file: Mapping[str, Any]) -> str:
    return urllib.parse.unquote(str(file["url"]).rsplit("/", 1)[1])


_INSTALLS: Final = [
    ROOT / "Makefile", ROOT / "Dockerfile", ROOT / "action.yml", *(ROOT / ".github/workflows").iterdir(),
    *(ROOT / ".ci").iterdir(),
]  # fmt: skip


@pytest.mark.parametrize("path", _INSTALLS, ids=lambda path: path.name)
def test_nothing_is_resolved(path: Path) -> None:
    """Each installation takes files with hashes from the lock, or nothing from an index."""
    text = path.read_text("utf-8").replace("\\\n", " ").replace("$(LOCKED)", _variable("LOCKED"))
    for line in re.findall(r"^.*(?:pip (?:install|wheel)|call install,).*$", text, re.MULTILINE):
        if not line.startswith(("install =", "newest:")) and "NEWEST" not in line:
            locked = {"--no-deps", "--require-hashes", "--only-binary"} <= set(line.split())
            offline = "--no-deps" in line and ("--no-index" in line or "--no-build-isolation" in line)
            assert locked or offline, line


def _variable(name: str) -> str:
    (value,) = re.findall(rf"^{name} :?= (.*)$", _MAKEFILE, re.MULTILINE)
    return str(value)


# Set-ups, with an index that has moved on


class _Index(http.server.BaseHTTPRequestHandler):
    """The locked files, with links to where the lock found them, and a newer release that no pip can install."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        name = canonicalize_name(self.path.removeprefix("/simple/").strip("/"))
        packages = [package for package in _PACKAGES if package["name"] == name]
        if self.path.startswith("/newer/"):
            self._answer(b"this is not a wheel", "application/octet-stream")
        elif self.path.startswith("/simple/") and packages:
            newer = f"{name.replace('-', '_')}-9999.0-py3-none-any.whl"
            links = [(newer, f"/newer/{newer}")]
            for package in packages:
                links += [
                    (_file_name(file), f"{file['url']}#{file['hash'].replace(':', '=')}") for file in package["wheels"]
                ]
            page = "".join(f'<a href="{escape(address)}">{escape(text)}</a>\n' for text, address in links)
            self._answer(f"<!DOCTYPE html><html><body>{page}</body></html>".encode(), "text/html")
        else:
            self.send_error(404)

    def _answer(self, body: bytes, content_type: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def index() -> Iterator[tuple[str, list[str]]]:
    """The address of the index, and what was asked of it."""
    asked: list[str] = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Index", (_Index,), {"asked": asked})) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/simple", asked
        server.shutdown()


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The files of this checkout as they are, in a folder with a space in its name."""
    if not (ROOT / ".git").exists():
        pytest.skip("no git checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    folder = tmp_path / "a clone"
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


def _environment(folder: Path, index: str) -> dict[str, str]:
    """No settings of pip or uv but the index; a home of its own; a cache for all tests, for the large files."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_", "VIRTUAL_ENV", "MAKE"))
    }
    return kept | {
        "HOME": str(folder.parent), "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": index, "UV_DEFAULT_INDEX": index,
        "PIP_CACHE_DIR": str(folder.parents[1] / "pip-cache"), "UV_CACHE_DIR": str(folder.parents[1] / "uv-cache"),
        "UV_NO_CONFIG": "1",
    }  # fmt: skip


def _make(folder: Path, index: str, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        ["make", *words], cwd=folder, env=_environment(folder, index), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if "Failed to establish a new connection" in done.stdout and "127.0.0.1" not in done.stdout:
        pytest.skip("no package index")
    return done


def _python_with_pip(version: str, folder: Path) -> Path:
    """A Python whose new environments have the oldest pip, as those of its first release have."""
    python = _python(version)
    if python is None:
        pytest.skip(f"no Python {version} with ensurepip on PATH or below ~/.pyenv")
    pip = _OLDEST_PIP[version]
    wheels = folder / "pip"
    fetched = subprocess.run(
        [python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, f"pip=={pip}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if fetched.returncode:
        pytest.skip(f"no package index: {fetched.stderr.strip().splitlines()[-1:]}")
    program = folder / f"python{version}"
    program.write_text(
        f'#!/bin/sh\n"{python}" "$@" || exit\n[ "$1 $2" = "-m venv" ] || exit 0\n'
        f'"$3/bin/python" -m pip install --quiet --no-index --find-links "{wheels}" pip=={pip}\n'
    )
    program.chmod(0o755)
    return program


def _python(version: str) -> str | None:
    """A Python of this version; pyenv puts a program on PATH that only works for the version chosen for a folder."""
    installed = sorted(map(str, Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python3")))
    for python in filter(None, [shutil.which(f"python{version}"), *installed]):
        if not subprocess.run([python, "-m", "ensurepip", "--version"], capture_output=True, check=False).returncode:
            return python
    return None


@pytest.mark.slow
@pytest.mark.parametrize("target", ["demo", "setup"])
@pytest.mark.parametrize("version", _PYTHONS)
def test_newer_releases_are_not_taken(
    version: str, target: str, clone: Path, index: tuple[str, list[str]], tmp_path: Path
) -> None:
    address, asked = index
    python = _python_with_pip(version, tmp_path)
    done = _make(clone, address, "UV=", f"PYTHON={python}", target)
    assert done.returncode == 0, done.stdout
    assert len([path for path in asked if path.startswith("/simple/")]) > 10
    assert [path for path in asked if path.startswith("/newer/")] == []
    environment = clone / (".venv-demo" if target == "demo" else ".venv")
    pip = subprocess.run(
        [environment / "bin/python", "-m", "pip", "--version"], capture_output=True, text=True, check=True
    )
    assert pip.stdout.startswith(f"pip {_OLDEST_PIP[version]} ")
    # Again, without any index.
    again = _make(clone, "http://127.0.0.1:9/", "UV=", f"PYTHON={python}", target)
    assert again.returncode == 0, again.stdout


@pytest.mark.slow
@pytest.mark.parametrize("target", ["demo", "setup"])
def test_uv_does_not_take_newer_releases(target: str, clone: Path, index: tuple[str, list[str]]) -> None:
    address, asked = index
    done = _make(clone, address, f"UV={Path(sys.prefix, 'bin', 'uv')}", f"PYTHON={sys.executable}", target)
    assert done.returncode == 0, done.stdout
    assert [path for path in asked if path.startswith("/newer/")] == []


@pytest.mark.slow
def test_the_index_shows_what_resolving_would_do(clone: Path, index: tuple[str, list[str]], tmp_path: Path) -> None:
    """Without --no-deps, the oldest pip takes a newer release: the index can tell."""
    python = _python_with_pip("3.11", tmp_path)
    done = _make(clone, index[0], "UV=", f"PYTHON={python}", "LOCKED=--require-hashes --only-binary :all:", "setup")
    assert done.returncode != 0
    assert "all requirements must have their versions pinned" in done.stdout, done.stdout


def test_demo_from_a_fresh_clone(clone: Path, index: tuple[str, list[str]]) -> None:
    """In a path with a space, interrupted at first, beside settings of pip for other purposes, and again offline."""
    address, asked = index
    words = ["UV=", f"PYTHON={sys.executable}", "demo"]
    interrupted = subprocess.Popen(
        ["make", *words], cwd=clone, env=_environment(clone, address), stdout=subprocess.DEVNULL, start_new_session=True
    )
    while interrupted.poll() is None and not list(clone.glob(".venv-demo/lib/*/site-packages/cryptography")):
        time.sleep(0.005)
    os.killpg(interrupted.pid, signal.SIGKILL)
    interrupted.wait()
    if not asked:
        pytest.skip("no package index")
    assert not (clone / ".venv-demo/.packages").exists()
    # An installation looks complete where only its metadata are.
    for folder in clone.glob(".venv-demo/lib/*/site-packages/*"):
        if folder.is_dir() and not folder.name.endswith("-info") and not folder.name.startswith("pip"):
            shutil.rmtree(folder)
    done = _make(clone, address, *words)
    assert done.returncode == 0, done.stdout
    assert "1 state checked" in done.stdout
    again = _make(clone, "http://127.0.0.1:9/", *words)
    assert again.returncode == 0, again.stdout
    assert "a download" not in again.stdout
