"""Sends signed requests to one service of AWS, and turns its refusals into errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from statefmt.store.remote.client import UnknownOutcomeError
from statefmt.store.remote.transport import Answer, Request, Transport
from statefmt.store.s3._errors import may_come_again, refused
from statefmt.store.s3._sigv4 import AwsKeys, Signer, escaped_path, query_string

_EMPTY: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class AwsService:
    """One service: `url` is its endpoint, or that of a bucket. Messages name the `subject` of the requests.

    `keys` are asked for before each request, since temporary ones are renewed.
    """

    subject: str
    name: str
    url: str
    region: str
    keys: Callable[[], AwsKeys]
    transport: Transport
    label: str = ""

    @property
    def host(self) -> str:
        """The host, with the port if there is one."""
        return urlsplit(self.url).netloc

    def send(
        self,
        call: str,
        method: str,
        path: str = "",
        *,
        query: Mapping[str, str] = _EMPTY,
        headers: Mapping[str, str] = _EMPTY,
        body: bytes = b"",
        changes: bool = False,
    ) -> Answer:
        """Send a request, and return the answer if it is good. `path` is not escaped, and follows that of the URL.

        One that `changes` something is sent again only if it had no effect for sure. Raises RefusedRequestError,
        UnknownOutcomeError if it may have had its effect, and StoreError.
        """
        parts = urlsplit(self.url)
        whole = (escaped_path(parts.path) + (f"/{escaped_path(path)}" if path else "")) or "/"
        url = f"{parts.scheme}://{parts.netloc}{whole}" + (f"?{query_string(query)}" if query else "")
        attempt = 0
        while True:
            signer = Signer(self.keys(), self.name, self.region)
            signed = signer.signed(method, parts.netloc, whole, query, headers, body)
            request = Request(
                method,
                url,
                signed,
                body if body or method in ("PUT", "POST") else None,
                changes=changes,
                repeats=not changes,
                largest=self.transport.largest,
                label=self.label,
            )
            answer = self.transport.send(request)
            # The transport has repeated what reads, and what was too much.
            again = may_come_again(answer) and answer.status != 429 and (changes or answer.status < 500)
            if not again or not self.transport.pause(attempt):
                break
            attempt += 1
        if 200 <= answer.status < 300:
            return answer
        if changes and answer.status >= 500 and answer.status != 501 and not may_come_again(answer):
            raise UnknownOutcomeError(
                f"{self.subject}: {self.host} answered {call} with {answer.status}: it may have had its effect"
            )
        raise refused(self.subject, self.host, call, answer)
