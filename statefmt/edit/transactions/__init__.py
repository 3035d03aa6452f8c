"""Changes several states as one: all of them or, after a crash, finished or taken back when the user says which.

States are locked together, all results are made before the first write, and a journal of the intent is on disk before
it. Objects arrive in one state before they leave another. See `_apply.py` for the way, `_journal.py` for the record,
and `by_file.py` for operations files.
"""

from __future__ import annotations

from statefmt.edit.ending import Ending as Ending
from statefmt.edit.transactions._apply import applied as applied
from statefmt.edit.transactions._intent import Intent as Intent
from statefmt.edit.transactions._operations import staging as staging
from statefmt.edit.transactions._outcome import Agreed as Agreed, FileOutcome as FileOutcome
from statefmt.edit.transactions._participants import Participant as Participant, participants as participants
from statefmt.edit.transactions._pins import Pin as Pin
from statefmt.edit.transactions._plan import (
    OperationsPlan as OperationsPlan,
    PlannedFile as PlannedFile,
    PlannedState as PlannedState,
)
from statefmt.edit.transactions._staged import Staged as Staged, Staging as Staging, Write as Write
from statefmt.edit.transactions._unfinished import ended as ended
