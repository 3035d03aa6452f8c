"""Sends signed requests to one AWS service, and turns AWS errors into messages with advice."""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple
from urllib.parse import quote, urlsplit

from statefmt.model.errors import StoreError
from statefmt.store.remote.client import UnknownOutcomeError
from statefmt.store.remote.transport import Answer, Request, Transport
from statefmt.text import pattern

_EMPTY: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class AwsService:
    """One service: `url` is its endpoint, or a bucket's endpoint. Messages name the `subject` of the requests.

    `keys` is called before each request, since temporary credentials are renewed.
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
        """Send a request, and return a successful answer. `path` is unescaped, and appended to the URL.

        A request with `changes` is retried only if it certainly had no effect. Raises RefusedRequestError,
        UnknownOutcomeError if it may have had an effect, and StoreError.
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
            # The transport has already retried reads and throttled requests.
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


# Error codes of a service that did nothing, because it is overloaded or another request is in progress.
_AGAIN: Final = frozenset(
    {
        "SlowDown", "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled",
        "RequestThrottledException", "RequestLimitExceeded", "TooManyRequestsException", "BandwidthLimitExceeded",
        "ProvisionedThroughputExceededException", "LimitExceededException", "PriorRequestNotComplete",
        "TransactionInProgressException", "ConditionalRequestConflict", "OperationAborted", "RequestTimeout",
    }
)  # fmt: skip
# The permissions of each call. Source: the Service Authorization Reference of AWS.
_RIGHTS: Final = {
    "GetObject": "s3:GetObject, and s3:ListBucket to see that an object is missing",
    "HeadObject": "s3:GetObject, and s3:ListBucket to see that an object is missing",
    "PutObject": "s3:PutObject (s3:PutObjectTagging and s3:PutObjectAcl too if the object has tags or grants)",
    "DeleteObject": "s3:DeleteObject",
    "ListObjectsV2": "s3:ListBucket",
    "ListObjectVersions": "s3:ListBucketVersions",
    "GetObjectVersion": "s3:GetObjectVersion",
    "GetObjectTagging": "s3:GetObjectTagging",
    "GetObjectAcl": "s3:GetObjectAcl",
    "GetItem": "dynamodb:GetItem",
    "PutItem": "dynamodb:PutItem",
    "DeleteItem": "dynamodb:DeleteItem",
    "AssumeRole": "sts:AssumeRole",
    "AssumeRoleWithWebIdentity": "sts:AssumeRoleWithWebIdentity",
}
_CREDENTIALS: Final = frozenset(
    {"InvalidAccessKeyId", "SignatureDoesNotMatch", "UnrecognizedClientException", "InvalidClientTokenId"}
)
_EXPIRED: Final = frozenset({"ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"})
_DENIED: Final = frozenset({"AccessDenied", "AccessDeniedException", "AllAccessDisabled", "Forbidden"})
_ELSEWHERE: Final = frozenset(
    {"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"}
)
_MEMBER: Final = pattern(r"<(Code|Message|Region)>([^<]*)</\1>")
# In characters: the message of a server may be a whole page.
_LONGEST: Final = 300


class RefusedRequestError(StoreError):
    """A service refused a request, which had no effect. `reason` is the error code, such as `PreconditionFailed`."""

    def __init__(self, message: str, reason: str, status: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status

    @property
    def is_denied(self) -> bool:
        """Whether a permission is missing."""
        return self.reason in _DENIED or (self.status == 403 and not self.reason)

    @property
    def is_missing(self) -> bool:
        """Whether the object is missing, and not the bucket."""
        return self.reason in ("NoSuchKey", "NoSuchVersion") or (self.status == 404 and not self.reason)

    @property
    def is_condition(self) -> bool:
        """Whether the condition of the request failed."""
        return self.status == 412 or self.reason == "ConditionalCheckFailedException"

    @property
    def is_unsupported(self) -> bool:
        """Whether the server does not support a header or a request."""
        return self.status in (405, 501) or self.reason in ("NotImplemented", "MethodNotAllowed")


def code_of(answer: Answer) -> str:
    """Return the code of an error, "" if there is none."""
    return _said(answer)[0]


def may_come_again(answer: Answer) -> bool:
    """Return whether a request with this answer had no effect, and may be retried."""
    return answer.status == 429 or (answer.status >= 400 and code_of(answer) in _AGAIN)


def refused(subject: str, host: str, call: str, answer: Answer) -> RefusedRequestError:
    """Turn an AWS error into a message with advice."""
    code, text, region = _said(answer)
    region = answer.headers.get("x-amz-bucket-region", region)
    said = f"{host} answered {call} with {answer.status}" + (f" {short(code)}" if code else "")
    said += f" ({short(text)})" if text else ""
    return RefusedRequestError(f"{subject}: {way_out(code, answer.status, call, region)}{said}", code, answer.status)


def way_out(code: str, status: int, call: str, region: str = "") -> str:
    """Describe the problem, after a colon; "" if only the code describes it."""
    if code == "NoSuchBucket":
        return "there is no such bucket: "
    if code == "ResourceNotFoundException":
        return "there is no such table in DynamoDB: "
    if status in (301, 307) or code in _ELSEWHERE:
        return f"the bucket is in the region {short(region)}: " if region else "the bucket is in another region: "
    if code in _EXPIRED:
        return "the credentials have expired; sign in again: "
    if code in _CREDENTIALS:
        return "the credentials are not valid: "
    if code == "RequestTimeTooSkewed":
        return "the clock of this system is wrong: "
    if code in _DENIED or status == 403:
        right = _RIGHTS.get(call, "")
        return f"access denied; this needs {right}: " if right else "access denied: "
    return ""


def _said(answer: Answer) -> tuple[str, str, str]:
    """Return the code, the message and the region of an AWS error."""
    text = answer.body[: 1 << 16].decode(errors="replace")
    if text.lstrip().startswith("{"):
        import json

        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            return "", "", ""
        code = str(found.get("__type", "")).rpartition("#")[2]
        return code, str(found.get("message") or found.get("Message") or ""), ""
    from html import unescape

    members = {name: unescape(value) for name, value in _MEMBER.findall(text)}
    return members.get("Code", ""), members.get("Message", ""), members.get("Region", "")


def short(text: str) -> str:
    """Shorten the message of a server to one line."""
    return " ".join(text.split())[:_LONGEST]


_ALGORITHM: Final = "AWS4-HMAC-SHA256"


class AwsKeys(NamedTuple):
    """Credentials. `token` is "" unless they are temporary."""

    access_key: str
    secret_key: str
    token: str = ""

    def __repr__(self) -> str:
        """Hide the secrets."""
        return f"AwsKeys({self.access_key!r}, …)"


class Signer(NamedTuple):
    """The signer: its keys, the service and the region."""

    keys: AwsKeys
    service: str
    region: str

    def signed(
        self, method: str, host: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes
    ) -> dict[str, str]:
        """Return the headers with a signature. `path` is escaped already; names of headers are in lower case."""
        # The server compares it with its own clock.
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        return self.signed_at(now, method, host, path, query, headers, body)

    def signed_at(
        self,
        now: str,
        method: str,
        host: str,
        path: str,
        query: Mapping[str, str],
        headers: Mapping[str, str],
        body: bytes,
    ) -> dict[str, str]:
        """Return the headers with a signature for a time such as 20260102T030405Z."""
        digest = hashlib.sha256(body).hexdigest()
        complete = {**headers, "host": host, "x-amz-date": now}
        if self.service == "s3":
            complete["x-amz-content-sha256"] = digest
        if self.keys.token:
            complete["x-amz-security-token"] = self.keys.token
        names = sorted(complete)
        signed_names = ";".join(names)
        request = "\n".join(
            [
                method,
                path,
                query_string(query),
                *(f"{name}:{' '.join(complete[name].split())}" for name in names),
                "",
                signed_names,
                digest,
            ]
        )
        scope = f"{now[:8]}/{self.region}/{self.service}/aws4_request"
        to_sign = f"{_ALGORITHM}\n{now}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
        key = f"AWS4{self.keys.secret_key}".encode()
        for part in scope.split("/"):
            key = hmac.digest(key, part.encode(), "sha256")
        signature = hmac.digest(key, to_sign.encode(), "sha256").hex()
        complete["authorization"] = (
            f"{_ALGORITHM} Credential={self.keys.access_key}/{scope}, "
            f"SignedHeaders={signed_names}, Signature={signature}"
        )
        return complete


def escaped_path(path: str) -> str:
    """Escape a path for signatures: everything but unreserved characters and slashes."""
    return quote(path, safe="/-_.~")


def query_string(query: Mapping[str, str]) -> str:
    """Write a query with the order and escapes of signatures."""
    return "&".join(f"{quote(name, safe='-_.~')}={quote(value, safe='-_.~')}" for name, value in sorted(query.items()))
