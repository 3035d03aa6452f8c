"""Arguments as in the running shell: the shells themselves say what they mean."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from statefmt.text import Shell, advice, quoted_for, running_shell

ADDRESSES = [
    'module.app["eu"]',
    "aws_vpc.main[0]",
    "module.*[*].aws_vpc.**",
    't.n["it\'s"]',
    r't.n["a\"b"]',
    r't.n["a\\b"]',
    't.n["$${x} `y` !z"]',
    't.n["Ä →"]',
]


@pytest.mark.parametrize("text", ADDRESSES)
@pytest.mark.parametrize("program", ["sh", "bash", "zsh", "fish"])
def test_the_shell_reads_it_back(program: str, text: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    word = quoted_for(text, running_shell({"SHELL": f"/usr/bin/{program}"}))
    command = [program, "-c", f"printf %s {word}"]
    assert subprocess.run(command, capture_output=True, check=True).stdout.decode() == text


# Environments, and the shell that probably runs.
ENVIRONMENTS: dict[str, tuple[dict[str, str], Shell]] = {
    "none": ({}, Shell.POSIX),
    "bash": ({"SHELL": "/bin/bash"}, Shell.POSIX),
    "fish": ({"SHELL": "/opt/homebrew/bin/fish"}, Shell.FISH),
    "pwsh on Linux, started from bash": ({"SHELL": "/bin/bash", "PSModulePath": "/opt/x/Modules"}, Shell.POWERSHELL),
    "pwsh as the login shell": ({"SHELL": "/usr/bin/pwsh"}, Shell.POWERSHELL),
    "PowerShell on Windows": ({"PSModulePath": "C:\\x", "ComSpec": "C:\\cmd.exe"}, Shell.POWERSHELL),
    "cmd.exe": ({"PSModulePath": "C:\\x", "ComSpec": "C:\\cmd.exe", "PROMPT": "$P$G"}, Shell.CMD),
    "Git Bash": ({"SHELL": "/usr/bin/bash", "ComSpec": "C:\\cmd.exe"}, Shell.POSIX),
}


@pytest.mark.parametrize("case", ENVIRONMENTS)
def test_running_shell(case: str) -> None:
    environment, shell = ENVIRONMENTS[case]
    assert running_shell(environment) is shell


# PowerShell before 7.3 passes inner quotes on without escaping them (about_Parsing, "Passing arguments that contain
# quote characters"); programs on Windows take \" for a quote (CommandLineToArgvW).
ADVICE = [
    (Shell.POSIX, 'a["b"]', "'a[\"b\"]' in single quotes"),
    (Shell.POSIX, "module.a", "module.a"),
    (Shell.FISH, r'a["\\"]', "'a[\"\\\\\\\\\"]' in single quotes"),
    (Shell.POWERSHELL, 'a["b"]', "'a[\"b\"]' in PowerShell 7.3 or later, 'a[\\\"b\\\"]' in older versions"),
    (Shell.POWERSHELL, "a['b']", "'a[''b'']' in single quotes"),
    (Shell.CMD, r'a["b\"c"]', r'"a[\"b\\\"c\"]", with a backslash before each inner quote'),
    (Shell.CMD, 'a["b"]', '"a[\\"b\\"]", with a backslash before each inner quote'),
]


@pytest.mark.parametrize(("shell", "text", "expected"), ADVICE)
def test_advice(shell: Shell, text: str, expected: str) -> None:
    assert advice(text, shell) == expected
