"""The error of a command line that no option or argument alone is to blame for."""

from typer import BadParameter


class UsageError(BadParameter):
    """A wrong command line, with the whole message; typer adds which command it is about."""

    def format_message(self) -> str:
        return self.message
