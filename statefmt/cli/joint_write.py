"""The options of commands that write several states as one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from typer import BadParameter

from statefmt.cli.applying import ApplyTerms
from statefmt.cli.options.duration import seconds
from statefmt.cli.options.shared import AgreedOption, ShowSensitiveOption
from statefmt.cli.options.surgery_options import SurgeryOptions
from statefmt.cli.options.write import DryRunOption, LockOption, LockTimeoutOption, NoBackupOption
from statefmt.render.diff.items import Manner


def joint_write_options(
    *,
    dry_run: DryRunOption = False,
    no_backup: NoBackupOption = False,
    lock: LockOption = True,
    lock_timeout: LockTimeoutOption = "0s",
    yes: AgreedOption = False,
    show_sensitive: ShowSensitiveOption = False,
) -> ApplyTerms:
    """Return how to write the states. Raises BadParameter."""
    return ApplyTerms(
        timeout=seconds(lock_timeout, "--lock-timeout") if lock else None,
        keeps_backup=not no_backup,
        asks=lambda _: not yes,
        dry_run=dry_run,
        manner=Manner(show_sensitive=show_sensitive),
    )


def joint_terms(options: SurgeryOptions, why: str, others: Mapping[str, bool] = MappingProxyType({})) -> ApplyTerms:
    """Return how to write the states, from the options of an edit of one state.

    Raises BadParameter with the message `why` for an option that is for one state, and for `others` that are given.
    """
    write = options.write
    for_one = {
        "--out": write.out is not None,
        "--backup": write.backup is not None,
        "--expect-serial": write.expect_serial is not None,
        "--expect-hash": write.expect_hash is not None,
    }
    for option, is_given in (for_one | dict(others)).items():
        if is_given:
            raise BadParameter(why, param_hint=option)
    return ApplyTerms(
        timeout=write.lock_timeout if write.lock else None,
        keeps_backup=not write.no_backup,
        asks=lambda _: not write.yes,
        dry_run=write.dry_run,
        manner=Manner(show_sensitive=options.show_sensitive),
    )
