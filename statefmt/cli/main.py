"""The program `statetool`: finds and runs the command, and turns every problem into a message and an exit status."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from typing import Final

import typer

from statefmt import ProgressReport, StatetoolError, StoreError
from statefmt.cli.outcome import AS_PLANS_DO, DETAILED_EXITCODE, FAILED, FINE, show_failure, show_usage_error
from statefmt.cli.program import program
from statefmt.cli.run import Run, running, system_context, was_given
from statefmt.cli.streams import (
    Progress,
    can_be_shown,
    discard_output,
    end_paging,
    open_streams,
    output_problem,
    start_paging,
)

_OBJECTS_BETWEEN_COLLECTIONS: Final = 1_000_000


def run() -> None:
    """Run the command line of this process, and exit with its status."""
    # A state creates hundreds of thousands of objects and hardly any cycles: collecting after every 700 new objects,
    # Python's default, takes a quarter of the time of `list`.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 100)
    gc.enable()
    progress = Progress() if can_be_shown() else None
    open_streams(progress)
    start_paging()
    if progress is None:
        status = main(sys.argv[1:])
    else:
        progress.begin()
        status = main(sys.argv[1:], progress.report)
        progress.end()
    with suppress(OSError, ValueError):
        end_paging()
        sys.stdout.flush()
        sys.stderr.flush()
    # Skip the interpreter's cleanup: everything is written, and freeing a large state takes time.
    os._exit(status)


def main(arguments: list[str], progress: ProgressReport | None = None) -> int:
    """Run one command and return its exit status; report every problem on standard error."""
    with running(Run(system_context(progress), tuple(arguments))):
        status = _run(arguments)
        return AS_PLANS_DO.get(status, status) if was_given(DETAILED_EXITCODE) else status


def _run(arguments: list[str]) -> int:
    try:
        command = program()
        # Not command.main(): it exits with 1 on a closed pipe, and 1 means findings.
        with command.make_context("statetool", list(arguments)) as context:
            status = command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as stop:
        # --help and --version
        return stop.exit_code
    except BrokenPipeError:
        # The reader closed the pipe.
        discard_output()
        return 128 + signal.SIGPIPE
    except (KeyboardInterrupt, typer.Abort):
        return 128 + signal.SIGINT
    except OSError as error:
        discard_output()
        show_failure(StoreError(output_problem(error)))
    except MemoryError:
        show_failure(StatetoolError("there is not enough memory for this state"))
    except RecursionError:
        show_failure(StatetoolError("a module path or a value is nested too deeply for this command"))
    except typer.TyperException as error:
        show_usage_error(error)
    except StatetoolError as error:
        show_failure(error)
    else:
        return status if isinstance(status, int) else FINE
    return FAILED
