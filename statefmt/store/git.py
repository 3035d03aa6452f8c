"""Reads versions of a file in git: one as a read-only store, `git:REVISION:PATH`, or all that changed it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final, NamedTuple, TypeAlias

from statefmt.model.errors import StoreError
from statefmt.store.protocol import ReadOnlyStore, Stored
from statefmt.store.reading import GIT


def git_version(name: str, environment: Mapping[str, str]) -> ReadOnlyStore:
    """Return the store of `git:REVISION:PATH`, which runs git in the environment."""
    return ReadOnlyStore(
        name,
        lambda: Stored(read_git_object(name, environment), None),
        f"{name}: a version in git cannot be edited; write the result to a file",
        f"{name}: a version in git has no history of edits",
    )


# Variables that name a repository, regardless of the folder. Source: git, `rev-parse --local-env-vars`.
_OF_REPOSITORY = frozenset({"GIT_COMMON_DIR", "GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE"})

# A repository is untrusted: its configuration names programs, and hosts that supply missing files.
_WITHOUT_PROGRAMS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
_WITHOUT_FETCHING = {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0"}


class GitPath(NamedTuple):
    """A path in a revision, "" for the staged version; `folder` is any folder of the repository, "" for this one."""

    revision: str
    path: str
    folder: str = ""


def git_path(name: str, environment: Mapping[str, str]) -> GitPath | None:
    """Parse `git:REVISION:PATH`; None if it is incomplete.

    An absolute path becomes relative to the top of its repository, and need not exist on disk. Raises StoreError.
    """
    spec = name.removeprefix(GIT)
    revision, colon, path = spec.partition(":/")
    if colon:
        return None if revision.startswith("-") else _of_repository(name, revision, f"/{path}", environment)
    revision, colon, path = spec.rpartition(":")
    return GitPath(revision, path) if colon and not revision.startswith("-") else None


def run_git(
    name: str, arguments: Sequence[str], environment: Mapping[str, str], folder: str = "", given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a folder, by default here, with English messages and without running programs that the repository
    names.

    `given` is its standard input.

    Raises StoreError if it cannot be run.
    """
    with _explained(name):
        command = _command(arguments, folder)
        return subprocess.run(
            command, env=_surroundings(environment, folder), input=given, capture_output=True, check=False
        )


def _command(arguments: Sequence[str], folder: str) -> list[str]:
    return ["git", *_WITHOUT_PROGRAMS, *(["-C", folder] if folder else []), *arguments]


def _surroundings(environment: Mapping[str, str], folder: str) -> dict[str, str]:
    kept = {one: value for one, value in environment.items() if not folder or one not in _OF_REPOSITORY}
    return {**kept, **_WITHOUT_FETCHING, "LC_ALL": "C"}


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """Raise StoreError if git cannot be run."""
    try:
        yield
    except FileNotFoundError as error:
        raise StoreError(f"{name}: git is not installed or not on PATH") from error
    except OSError as error:
        raise StoreError(f"{name}: cannot run git: {error.strerror}") from error
    except ValueError as error:
        raise StoreError(f"{name}: a path cannot contain a NUL character") from error


def git_reason(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the reason why git failed."""
    return done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ") or "git cannot read it"


def _of_repository(name: str, revision: str, path: str, environment: Mapping[str, str]) -> GitPath:
    path = os.path.normpath(path)
    folder = path
    while not os.path.isdir(folder):  # noqa: PTH112 - for text with surrogates as for any other
        folder = os.path.dirname(folder)  # noqa: PTH120
    # The folder may be reached by a symbolic link.
    inside = os.path.relpath(os.path.realpath(folder), os.path.realpath(repository_top(folder, name, environment)))
    inside = os.path.normpath(os.path.join(inside, os.path.relpath(path, folder)))  # noqa: PTH118
    return GitPath(revision, "" if inside == "." else inside, folder)


def repository_top(folder: str, name: str, environment: Mapping[str, str]) -> str:
    """Return the top folder of a repository, which may be bare. Raises StoreError."""
    is_bare = _asked(folder, name, environment, "--is-bare-repository") == "true"
    return _asked(folder, name, environment, "--absolute-git-dir" if is_bare else "--show-toplevel")


def _asked(folder: str, name: str, environment: Mapping[str, str], what: str) -> str:
    done = run_git(name, ["rev-parse", what], environment, folder)
    if done.returncode != 0:
        raise StoreError(f"{name}: {git_reason(done)}")
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")


_NOT_HERE: Final = "its content is not in this clone; run `git fetch --refetch --no-filter`"


def read_git_object(name: str, environment: Mapping[str, str]) -> bytes:
    """Return the bytes of `git:REVISION:PATH`.

    PATH is relative to the top of the repository, to here with `./`, or absolute. An empty revision (`git::PATH`) reads
    the staged version. Raises StoreError if git is not installed or does not find the file.
    """
    found = git_path(name, environment)
    if found is None or not found.path:
        raise StoreError(
            f"{name}: write a version in git as git:REVISION:PATH, for example git:HEAD~1:prod/terraform.tfstate"
        )
    arguments = ["cat-file", "blob", f"{found.revision}:{found.path}"]
    done = run_git(name, arguments, environment, found.folder)
    if done.returncode != 0:
        reason = git_reason(done)
        if reason.endswith("bad file"):
            # git's answers for a tree, and for a blob that a partial clone lacks.
            kind = run_git(name, ["cat-file", "-t", arguments[-1]], environment, found.folder).stdout
            reason = "this is a folder in git, not a state file" if kind == b"tree\n" else _NOT_HERE
        raise StoreError(f"{name}: {reason}")
    return done.stdout


class GitRevision(NamedTuple):
    """A commit that changed a file: its ID, time (UTC, RFC 3339), author and subject, and the ID of the file's blob."""

    commit: str
    time: str
    author: str
    subject: str
    blob: str


# Without programs for signatures, and without what a repository may set for the output.
_LOG: Final = (
    "-c", "log.showSignature=false", "-c", "log.follow=false", "log", "-O/dev/null", "--full-history", "-m",
    "--raw", "--no-abbrev", "--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8",
    "--format=%x00%H%x00%ct%x00%an <%ae>%x00%s%x00",
)  # fmt: skip
_FIELDS: Final = 5
_DELETED: Final = "0" * 40


def git_revisions(name: str, where: GitPath, environment: Mapping[str, str]) -> list[GitRevision]:
    """Return the commits that changed a file, oldest first.

    The path is relative to the top of the repository, or to the folder if it starts with `./`. Commits without the
    file are left out. Raises StoreError.
    """
    magic = ":(literal)" if where.path.startswith("./") else ":(top,literal)"
    done = run_git(name, [*_LOG, where.revision or "HEAD", "--", f"{magic}{where.path}"], environment, where.folder)
    if done.returncode != 0:
        raise StoreError(f"{name}: {git_reason(done)}")
    fields = done.stdout.decode("utf-8", "replace").split("\0")[1:]
    found: list[GitRevision] = []
    for start in range(0, len(fields) - _FIELDS + 1, _FIELDS):
        commit, seconds, author, subject, raw = fields[start : start + _FIELDS]
        # A merge is listed once for each parent, with the same blob.
        blob = raw.strip().split(" ")[3] if raw.strip() else ""
        if blob and not _DELETED.startswith(blob[:40]):
            found.append(GitRevision(commit, utc_time(int(seconds)), author, subject, blob))
    return list({(one.commit, one.blob): one for one in reversed(found)}.values())


def utc_time(seconds: float) -> str:
    """Format Unix seconds as RFC 3339 in UTC."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def is_shallow(name: str, folder: str, environment: Mapping[str, str]) -> bool:
    """Return whether a clone lacks earlier commits. Raises StoreError."""
    return run_git(name, ["rev-parse", "--is-shallow-repository"], environment, folder).stdout == b"true\n"


def blob_ids(content: bytes) -> tuple[str, str]:
    """Return the IDs that git gives a content, in repositories with SHA-1 and with SHA-256."""
    from hashlib import sha1, sha256

    blob = b"blob %d\0%b" % (len(content), content)
    return sha1(blob, usedforsecurity=False).hexdigest(), sha256(blob).hexdigest()


# Returns the content of a blob.
BlobReader: TypeAlias = Callable[[str], bytes]


@contextmanager
def git_blobs(name: str, folder: str, environment: Mapping[str, str]) -> Iterator[BlobReader]:
    """Open one git process that returns the stored bytes of any number of blobs. It raises StoreError."""
    with (
        _explained(name),
        subprocess.Popen(
            _command(["cat-file", "--batch"], folder),
            env=_surroundings(environment, folder),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        asked, answers = process.stdin, process.stdout
        assert asked is not None and answers is not None

        def read(blob: str) -> bytes:
            asked.write(f"{blob}\n".encode())
            asked.flush()
            head = answers.readline().split()
            if len(head) != 3 or head[1] != b"blob":
                raise StoreError(f"{name}: {_NOT_HERE}")
            content = answers.read(int(head[2]))
            answers.read(1)
            return content

        yield read
