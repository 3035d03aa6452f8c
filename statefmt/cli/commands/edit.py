"""`statetool edit`: edits a state, or the attributes of one instance, in an editor.

The editor gets options that keep its text out of other files. A killed editor leaves its terminal settings behind, so
they are restored.
"""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer
from typer import Argument, Option

import statefmt
from statefmt import EditResult, StateError, StatetoolError, StoreError, TextEdit
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import state_name
from statefmt.cli.outcome import FAILED, FINE, kept_text, show_failure, why_not
from statefmt.cli.private_copy import PrivateCopy, forget_kept, kept_copies, private_copy
from statefmt.cli.run import run_context
from statefmt.cli.streams import ADVICE, asking, message_terminal, say
from statefmt.cli.surgery import SurgeryOptions, show_result, surgery_options
from statefmt.locations import STANDARD_INPUT
from statefmt.render.diff import Manner
from statefmt.text import printable


@examples(
    ("Edit the attributes of an instance.", "statetool edit 'aws_instance.web[0]'"),
    ("Edit the whole state, and see what would change.", "statetool edit --dry-run"),
    ("Repair a damaged state by hand.", "statetool edit --state terraform.tfstate"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=surgery_options)
def edit_command(
    address: Annotated[
        str | None, Argument(metavar="[ADDRESS]", help="Edit only the attributes of this instance.")
    ] = None,
    text: Annotated[
        Path | None, Option("--text", metavar="FILE", help="Start with the text in FILE, which an earlier edit kept.")
    ] = None,
    plain_file: Annotated[
        bool, Option("--plain-file", help="Allow a plain-text copy of an encrypted state on disk.")
    ] = False,
    *,
    options: SurgeryOptions,
) -> int:
    """Edit a state in the editor that VISUAL or EDITOR names.

    Locks the state, and opens a private copy of it, with all secrets, in memory if possible. Refuses an edit that adds
    an error, and keeps its text until that is written or discarded. A damaged state can be edited, too.
    """
    name, write = state_name(options.state), options.write
    if name == STANDARD_INPUT:
        raise StoreError("standard input cannot be edited, since the editor needs it; name a file with --state")
    if asking() is None and not (write.yes or write.dry_run):
        raise StoreError(
            f"{name}: edit needs confirmation, and there is no terminal to ask on; nothing was written. {ADVICE}"
        )
    context = run_context()
    editor = user_editor(context.environment)
    earlier = None if text is None else context.read(str(text))
    _name_kept(text)

    def written(result: EditResult) -> None:
        where = "standard output" if write.out == STANDARD_INPUT else write.out or name
        say(f"{where}: written{kept_text(result.backup, 'state')}")
        if text is not None and forget_kept(text, context.environment):
            say(f"{text}: removed, since it was written")

    with statefmt.open(name, context=context, read=False).edit_text(
        address, options=write, config=options.configuration.loaded(), written=written
    ) as edit:
        needs_memory = edit.is_encrypted and not plain_file
        _check_discretion(editor, needs_memory=needs_memory)
        if edit.damage is not None:
            show_failure(edit.damage, name)
        file_name = "state.tfstate.json" if address is None else "attributes.json"
        content = edit.text if earlier is None else earlier
        with private_copy(content, file_name, context.environment, needs_memory=needs_memory) as copy:
            lock = "; the state is locked" if write.lock and not (write.out or write.dry_run) else ""
            say(f"{name}: waiting for the editor, {editor.name}{lock}")
            return EditingSession(name, edit, copy, editor, options).run()


def _check_discretion(editor: Editor, *, needs_memory: bool) -> None:
    """Refuse an editor that is known to keep plain copies of an encrypted state; warn about unknown editors."""
    if editor.discretion is Discretion.KEEPS_COPIES:
        if needs_memory:
            raise StoreError(
                f"the state is encrypted, and {editor.name} keeps copies of edited files in its own folders; nothing "
                "was written. Name another editor in VISUAL, such as vim, or allow it with --plain-file"
            )
        say(f"statetool: {editor.name} keeps copies of edited files in its own folders")
    elif editor.discretion is Discretion.UNKNOWN and needs_memory:
        say(f"statetool: {editor.name} is not a known editor: check that it keeps no copies of what it edits")


def _name_kept(text: Path | None) -> None:
    """Report the kept texts of earlier edits, since they contain secrets."""
    for path in kept_copies(run_context().environment):
        if text is None or path != text.absolute():
            say(f"statetool: an earlier edit kept its text in {path}; delete it if you do not need it")


_NEXT: Final = "What now: edit again (e), keep the text for later (k), or discard it (d)?"
_AGAIN, _KEEP, _DISCARD = "e", "k", "d"
# In seconds; nobody edits that fast.
_AT_ONCE: Final = 2.0


class EditingSession:
    """An edit of a text in an editor. The text is kept unless it is written or discarded by the user."""

    def __init__(self, name: str, edit: TextEdit, copy: PrivateCopy, editor: Editor, options: SurgeryOptions) -> None:
        """Edit the copy of the text of `edit`, the state `name`."""
        self._name = name
        self._edit = edit
        self._copy = copy
        self._editor = editor
        self._options = options
        self._manner = Manner(show_sensitive=options.show_sensitive)

    def run(self) -> int:
        """Run the editor until the text is written, or the user gives up; return the exit status."""
        try:
            return self._run()
        except BaseException:
            if not self._edit.is_written and self._changed() is not None:
                self._keep()
            raise

    def _run(self) -> int:
        line: int | None = None
        while True:
            try:
                ran = run_editor(self._editor, self._copy.path, run_context().environment, line)
                text = self._copy.read()
                if text == self._edit.text:
                    self._say_unchanged(at_once=ran < _AT_ONCE)
                    return FINE
                if self._written(text):
                    return FINE
            except StatetoolError as error:
                changed = self._changed()
                if changed is None:
                    raise
                line = show_refusal(error, self._edit, changed)
            answer = _next_step()
            if answer == _KEEP:
                self._keep()
            if answer != _AGAIN:
                say(f"{self._name}: nothing was written")
                return FAILED

    def _written(self, text: bytes) -> bool:
        """Show the changes of an edited text, and write it; return False if the user declines."""
        write = self._options.write
        result = self._edit.propose(text)
        asks = bool(result.diff or result.notes) and not (write.yes or write.dry_run)
        show_result(result, self._manner, None, to_messages=asks or write.out == STANDARD_INPUT)
        target = "standard output" if write.out == STANDARD_INPUT else printable(write.out or self._name)
        ask = asking()
        if asks and (ask is None or not ask(f"Write this to {target}?")):
            return False
        self._edit.write()
        if not self._edit.is_written:
            there = write.out if result.diff else None
            say(f"{self._name}: {why_not(there, dry_run=write.dry_run)}; nothing was written")
        return True

    def _say_unchanged(self, *, at_once: bool) -> None:
        hint = ". If it still runs, give it an option to wait, such as `code --wait`" if at_once else ""
        what = f"the editor {self._editor.name} ended at once, and" if at_once else ""
        say(f"{self._name}: {what} nothing was edited; nothing was written{hint}".replace("  ", " "))

    def _changed(self) -> bytes | None:
        """Return the edited text; None if it is unchanged."""
        try:
            text = self._copy.read()
        except StatetoolError:
            return None
        return text if text.strip() and text != self._edit.text else None

    def _keep(self) -> None:
        path = self._copy.kept()
        # The terminal may be gone.
        with suppress(OSError):
            serial = f" --expect-serial {self._edit.serial}" if self._edit.damage is None else ""
            say(f"{self._name}: the edited text is kept, with all secrets. To continue, repeat the command with:")
            print(printable(f"  --text {path}{serial}"), file=sys.stderr)


def _next_step() -> str:
    """Ask whether to keep the unwritten text. Without a terminal, keep it."""
    if asking() is None:
        return _KEEP
    return str(typer.prompt(_NEXT, value_proc=_answer, prompt_suffix=" ", err=True))


def _answer(text: str) -> str:
    choices = (_AGAIN, _KEEP, _DISCARD)
    if text not in choices:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(map(repr, choices))}.")
    return text


_MOST_FINDINGS = 10


def show_refusal(error: StatetoolError, edit: TextEdit, text: bytes) -> int | None:
    """Print why an edit fails; return the first line of the text with a problem, or None."""
    if not isinstance(error, StateError):
        show_failure(error)
        return None
    from statefmt.render.findings import finding_text

    terminal, shown = message_terminal(), error.reasons[:_MOST_FINDINGS]
    places = edit.positions(text, shown)
    print("statetool: the edit is refused:", file=sys.stderr)
    for finding in shown:
        place = places.get(finding.pointer)
        where = "" if place is None else f"line {place.line}, column {place.column}"
        print(finding_text(finding, terminal, "  ", where), file=sys.stderr)
    if len(error.reasons) > len(shown):
        print(f"  … and {len(error.reasons) - len(shown)} more", file=sys.stderr)
    return min((place.line for place in places.values()), default=None)


# Keys that a terminal sends to all its programs: they are for the editor.
_KEYS: Final = ("SIGINT", "SIGQUIT")
# In seconds, the time for an editor to end after SIGHUP.
_PATIENCE: Final = 2.0


def run_editor(editor: Editor, path: Path, environment: Mapping[str, str], line: int | None = None) -> float:
    """Run an editor on a file, if possible at a line, and wait for it; return its running time in seconds.

    Its temporary files are in the folder of the file. If a signal ends the wait, the editor is ended as well. Raises
    StoreError if it cannot be started or fails.
    """
    start = time.monotonic()
    # The output of the editor must not get into a piped result.
    output = None if sys.stdout.isatty() else sys.stderr.fileno()
    with terminal_kept() as reset_screen, _keys_left_to_editor():
        try:
            process = subprocess.Popen(
                editor.command(path, line), stdout=output, env={**environment, "TMPDIR": str(path.parent)}
            )
        except OSError as error:
            raise StoreError(
                f"the editor {editor.name} cannot be run: {error.strerror}; nothing was written"
            ) from error
        try:
            status = process.wait()
        except BaseException:
            _end(process)
            raise
        if status < 0:
            reset_screen()
    if status < 0:
        raise StoreError(f"the editor {editor.name} was ended by signal {-status}; nothing was written")
    if status:
        raise StoreError(f"the editor {editor.name} failed with exit status {status}; nothing was written")
    return time.monotonic() - start


def _end(process: subprocess.Popen[bytes]) -> None:
    """End an editor whose terminal may no longer exist."""
    process.send_signal(signal.SIGHUP)
    # A stopped process handles the signal when it continues.
    process.send_signal(signal.SIGCONT)
    try:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
    finally:
        # Also if a second signal ends this wait.
        if process.poll() is None:
            process.kill()
            process.wait()


@contextmanager
def _keys_left_to_editor() -> Iterator[None]:
    """Ignore signals from keys. They are handled, since a child inherits ignored signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in _KEYS if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda *_: None) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


_DEFAULT: Final = "vi"
# Runs after the user's settings. One command for each setting, since the first unknown option ends a `set`; builds
# without a feature do not know its options.
_VIM_SETTINGS: Final = " | ".join(
    f"silent! set {one}"
    for one in ("noundofile", "nobackup", "nowritebackup", "noswapfile", "viminfo=", "nofixendofline")
)
# Runs after the user's settings, but before the file is read: a state is untrusted. The group protects the command from
# a vimrc that removes all others.
_NO_MODELINES: Final = ("augroup statetool", "autocmd BufReadPre * set nomodeline", "augroup END")
# No swap file, and no viminfo or ShaDa file.
_VIM: Final = (
    *("-n", "-i", "NONE"),
    *(word for one in _NO_MODELINES for word in ("--cmd", f"silent! {one}")),
    *("-c", _VIM_SETTINGS),
)
# Local variables are variables that a file sets.
_EMACS_SETTINGS: Final = (
    "(setq make-backup-files nil auto-save-default nil auto-save-list-file-prefix nil create-lockfiles nil "
    "enable-local-variables nil)"
)
# Options of editors by program name. The settings of nano and Emacs, and of their packages, that keep copies cannot be
# disabled one by one: these editors start without the user's files.
_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(("vim", "nvim", "vimx", "rvim"), _VIM),
    **dict.fromkeys(("gvim", "mvim"), ("-f", *_VIM)),
    **dict.fromkeys(("nano", "rnano"), ("--ignorercfiles",)),
    "emacs": ("-Q", "--eval", _EMACS_SETTINGS),
    "micro": (
        *("-backup", "false", "-permbackup", "false", "-savehistory", "false", "-saveundo", "false"),
        *("-savecursor", "false", "-eofnewline", "false"),
    ),
    # They keep nothing outside the file's folder.
    **dict.fromkeys(("hx", "helix", "kak"), ()),
}
_WAITING: Final = frozenset({"code", "code-insiders", "codium", "cursor", "windsurf", "subl", "zed"})
# They keep unsaved text or a history of files in their own folders, and no option of a call prevents it.
_KEEPING: Final = _WAITING | {"idea", "pycharm", "goland", "emacsclient", "nvi", "bsd-vi"}
_WITH_LINES: Final = frozenset(
    {"vim", "nvim", "vimx", "rvim", "gvim", "mvim", "nano", "rnano", "emacs", "micro", "kak"}
)


class Discretion(Enum):
    """Whether an editor keeps copies of edited text outside the folder of the file."""

    KEEPS_NOTHING = "keeps nothing"
    UNKNOWN = "unknown"
    KEEPS_COPIES = "keeps copies"


class Editor(NamedTuple):
    """A program with its arguments; `takes_lines` if it accepts `+LINE` before the path."""

    words: tuple[str, ...]
    discretion: Discretion
    takes_lines: bool = False

    @property
    def name(self) -> str:
        """The name of the program."""
        return Path(self.words[0]).name

    def command(self, path: Path, line: int | None = None) -> list[str]:
        """Return the command line that edits a file, if possible at a line."""
        start = [f"+{line}"] if line is not None and self.takes_lines else []
        return [*self.words, *start, str(path)]


def user_editor(environment: Mapping[str, str]) -> Editor:
    """Return the editor that VISUAL or EDITOR names, else vi, with options that keep it from leaving copies.

    Both variables are split like in a shell, without running one. Raises StoreError if there is no such program.
    """
    variable = next((one for one in ("VISUAL", "EDITOR") if environment.get(one, "").strip()), None)
    text = _DEFAULT if variable is None else environment[variable]
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise StoreError(f"{variable} cannot be read as a command: {error}; nothing was written") from error
    found = shutil.which(words[0], path=environment.get("PATH")) if words and words[0] else None
    if found is None:
        program = repr(words[0]) if words else "an empty name"
        source = "the default editor" if variable is None else f"the editor in {variable}"
        raise StoreError(f"{source} was not found: {program}; name one in VISUAL or EDITOR. Nothing was written")
    called, real = Path(found).name, Path(found).resolve().name
    # `vi` may be one of several programs; `vim.tiny` and `emacs-nox` are builds.
    known = next((one for one in (real, real.partition(".")[0], called) if one in _OPTIONS), None)
    if known is not None:
        return Editor((found, *words[1:], *_OPTIONS[known]), Discretion.KEEPS_NOTHING, known in _WITH_LINES)
    keeping = next((one for one in (called, real) if one in _KEEPING), None)
    waiting = ("--wait",) if keeping in _WAITING else ()
    return Editor((found, *words[1:], *waiting), Discretion.UNKNOWN if keeping is None else Discretion.KEEPS_COPIES)


# Leave the alternate screen; show the cursor; reset colours and the keypad mode.
_CAPABILITIES: Final = ("rmcup", "cnorm", "sgr0", "rmkx")
# Modes that terminfo lacks: mouse and focus reports, and bracketed paste.
_MODES: Final = b"\033[?1000l\033[?1002l\033[?1003l\033[?1006l\033[?1004l\033[?2004l"


@contextmanager
def terminal_kept() -> Iterator[Callable[[], None]]:
    """Restore the settings of the terminal at the end; yields a function that resets its screen."""
    if not (sys.stdin and sys.stdin.isatty()):
        yield lambda: None
        return
    import termios

    settings = termios.tcgetattr(sys.stdin)
    try:
        yield _reset_screen
    finally:
        # The terminal may be gone.
        with suppress(termios.error):
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, settings)


def _reset_screen() -> None:
    if not sys.stderr.isatty():
        return
    # Some builds of Python lack it, and it does not know every terminal.
    with suppress(Exception):
        import curses

        curses.setupterm(fd=sys.stderr.fileno())
        leave = curses.tigetstr("rmcup")
        if leave:
            found = [curses.tigetstr(name) or b"" for name in _CAPABILITIES]
            sys.stderr.flush()
            sys.stderr.buffer.write(b"".join(found) + _MODES)
            sys.stderr.flush()
