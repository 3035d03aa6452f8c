"""Reads states on a worker of a cluster, with its own environment and keys, and defines the messages to it."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Final, Literal

import msgspec
from msgspec import Raw, Struct

from statefmt.context import RunContext
from statefmt.edit.session import state_name
from statefmt.fleet._rows import StateLimits, StateOrigin, StateRows, Wanted, read_rows, unreadable
from statefmt.fleet._work import Done, Task, work_on
from statefmt.model.errors import StatetoolError
from statefmt.store.backends import RemoteName, VersionName
from statefmt.store.backends.options import BackendOptions
from statefmt.store.reading import GIT
from statefmt.version import __version__

_ELSEWHERE: Final = "the worker finds another state at this place; its environment differs"


def answer_job(context: RunContext, data: bytes) -> bytes:
    """Return the rows of the states of a job, encoded. A state that cannot be read is a row, and no exception."""
    job = decoded_job(data)
    if job is None:
        return encoded_answer(WorkerAnswer(refused=f"it has statetool {__version__}"))
    tasks = [Task(os.fsdecode(one.name), one.origin) for one in job.tasks]
    sent = {one.origin.state_id: one for one in job.tasks}
    return encoded_answer(WorkerAnswer(work_on(tasks, lambda task: _rows(context, job, sent[task.origin.state_id]))))


def _rows(context: RunContext, job: Job, task: SentTask) -> StateRows:
    allowed = BackendOptions(
        workspace=task.workspace,
        allowed_hosts=job.allowed_hosts,
        allowed_env=job.allowed_env,
        allow_external=job.allow_external,
        verify=job.verify,
    )
    context = replace(context, backend=allowed)
    name = os.fsdecode(task.name)
    if task.kind != "file":
        try:
            name = state_name(context, name, to_read=True)
        except StatetoolError as error:
            return unreadable(task.origin, error.on_command_line)
        if not isinstance(name, RemoteName) or name != task.origin.uri:
            # A worker with another TF_DATA_DIR, say, or without the argument that the run has from its environment.
            return unreadable(task.origin, _ELSEWHERE)
    return read_rows(context, name, task.origin, job.wanted, checks=job.checks, limits=job.limits, size=task.size)


# What travels between the run and the workers of a cluster: names of states one way, rows the other.
# No message contains environment variables, arguments of backends or sensitive values. Every job contains the key of
# the index, since the workers hash values.


class SentTask(Struct, frozen=True):
    """A state to read: a file by its absolute path, or that of a URL or of a folder and workspace."""

    kind: Literal["file", "url", "folder"]
    name: bytes
    origin: StateOrigin
    size: int
    workspace: str | None = None


class Job(Struct, frozen=True):
    """The states of a chunk, what to make of them, and what the run allows on the way to backends."""

    tasks: tuple[SentTask, ...]
    wanted: Wanted
    checks: bool
    limits: StateLimits
    allowed_hosts: tuple[str, ...] = ()
    allowed_env: tuple[str, ...] = ()
    allow_external: bool = False
    verify: bool = True


class WorkerAnswer(Struct, frozen=True):
    """The rows of a chunk, or why the worker refuses it."""

    done: Done | None = None
    refused: str = ""


_ANSWER: Final = msgspec.msgpack.Decoder(WorkerAnswer)


def sent(task: Task) -> SentTask | None:
    """Return a task as it travels; None if only this process can read it, such as a version in a git repository."""
    name, place = task.name, task.origin
    if isinstance(name, RemoteName):
        if name.folder is None:
            # The words of a URL are `--state URL`, without values that may be secret.
            return SentTask("url", name.words[1].encode(), place, task.size) if len(name.words) > 1 else None
        folder = os.fsencode(os.path.abspath(name.folder))  # noqa: PTH100
        return SentTask("folder", folder, place, task.size, name.place.workspace)
    if isinstance(name, VersionName) or name.startswith(GIT) or "://" in name:
        return None
    return SentTask("file", os.fsencode(os.path.abspath(name)), place, task.size)  # noqa: PTH100 - a name may be no valid text


def encoded_job(
    context: RunContext, tasks: tuple[SentTask, ...], wanted: Wanted, checks: bool, limits: StateLimits
) -> bytes:
    """Return a job as it travels, with the release before it: another one might read it differently."""
    allowed = context.backend or BackendOptions()
    job = Job(
        tasks=tasks,
        wanted=wanted,
        checks=checks,
        limits=limits,
        allowed_hosts=allowed.allowed_hosts,
        allowed_env=allowed.allowed_env,
        allow_external=allowed.allow_external,
        verify=allowed.verify,
    )
    return msgspec.msgpack.encode((__version__, job))


def decoded_job(data: bytes) -> Job | None:
    """Return a job, None if another release of statetool made it."""
    release, job = msgspec.msgpack.decode(data, type=tuple[str, Raw])
    return msgspec.msgpack.decode(job, type=Job) if release == __version__ else None


def encoded_answer(answer: WorkerAnswer) -> bytes:
    """Return an answer as it travels."""
    return msgspec.msgpack.encode(answer)


def decoded_answer(data: object) -> WorkerAnswer:
    """Return an answer. Raises msgspec.ValidationError or DecodeError if it is none."""
    if not isinstance(data, bytes):
        raise msgspec.ValidationError("not bytes")
    return _ANSWER.decode(data)
