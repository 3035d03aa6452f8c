"""Reads states on a worker of a cluster, with the environment and the keys that the worker has."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Final

from statefmt.context import RunContext
from statefmt.edit.session import state_name
from statefmt.fleet.rows.extract import StateRows, unreadable
from statefmt.fleet.rows.read import read_rows
from statefmt.fleet.work._message import Job, SentTask, WorkerAnswer, decoded_job, encoded_answer
from statefmt.fleet.work.task import Task, work_on
from statefmt.model.errors import StatetoolError
from statefmt.store.backends import RemoteName
from statefmt.store.backends.options import BackendOptions
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
