"""Sends requests to AWS: again where that is safe, and never again where a first one may have had its effect."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from statefmt.model.errors import StoreError
from statefmt.store.remote.client import UnknownOutcomeError
from statefmt.store.s3._errors import (
    is_lost,
    is_passing,
    is_without_effect,
    problem_of,
    reason_of_error,
    refusal,
    status_of_error,
)

_Answer = TypeVar("_Answer")

# In seconds: at most this long before the second attempt, twice as long before each further one, up to the longest.
_FIRST_WAIT: Final = 0.2
_LONGEST_WAIT: Final = 20.0


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests to one host about one thing, which messages name `subject`. `most_retries` is for each request.

    The waits have jitter, so that many clients do not come back at once. `debug` receives a line for each request.
    """

    subject: str
    host: str
    most_retries: int
    debug: Callable[[str], None] | None

    def read(self, call: Callable[[], _Answer], name: str) -> _Answer:
        """Send a request that only reads, or has the same effect when it is sent twice.

        Raises RefusedRequestError, and StoreError if no attempt succeeds.
        """
        return self._sent(call, name, is_passing)

    def change(self, call: Callable[[], _Answer], name: str) -> _Answer:
        """Send a request that changes something. It is sent again only if it had no effect for sure.

        Raises RefusedRequestError, UnknownOutcomeError if the answer was lost, and StoreError.
        """
        return self._sent(call, name, is_without_effect, changes=True)

    def _sent(
        self, call: Callable[[], _Answer], name: str, may_repeat: Callable[[Exception], bool], *, changes: bool = False
    ) -> _Answer:
        wait = _FIRST_WAIT
        for attempt in range(self.most_retries + 1):
            start = time.monotonic()
            try:
                answer = call()
            except (ClientError, BotoCoreError) as error:
                self._report(name, start, _code_of(error))
                if may_repeat(error) and attempt < self.most_retries:
                    # The jitter needs no secrecy.
                    time.sleep(random.uniform(wait / 2, wait))
                    wait = min(wait * 2, _LONGEST_WAIT)
                    continue
                # Without the cause: a library's text may contain a secret.
                raise self._failure(error, name, changes=changes) from None
            self._report(name, start, "done")
            return answer
        raise AssertionError("unreachable")

    def _failure(self, error: ClientError | BotoCoreError, name: str, *, changes: bool) -> StoreError:
        if changes and is_lost(error):
            return UnknownOutcomeError(
                f"{self.subject}: {self.host} did not answer {name} as expected: it may or may not have had its effect"
            )
        if isinstance(error, ClientError):
            return refusal(self.subject, self.host, error)
        return StoreError(f"{self.subject}: {problem_of(error, self.host)}")

    def _report(self, name: str, start: float, outcome: str) -> None:
        if self.debug is not None:
            self.debug(f"{name} {self.subject} at {self.host}: {outcome}, {time.monotonic() - start:.3f} s")


def _code_of(error: ClientError | BotoCoreError) -> str:
    if isinstance(error, ClientError):
        return f"{status_of_error(error)} {reason_of_error(error)}"
    return type(error).__name__
