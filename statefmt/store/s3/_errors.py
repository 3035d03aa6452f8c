"""What a service of AWS refused, and what to do about it."""

from __future__ import annotations

from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.remote.transport import Answer
from statefmt.text.pattern import pattern

# Codes with which a service says that it did nothing, since it has too much to do, or another request is on its way.
_AGAIN: Final = frozenset(
    {
        "SlowDown", "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled",
        "RequestThrottledException", "RequestLimitExceeded", "TooManyRequestsException", "BandwidthLimitExceeded",
        "ProvisionedThroughputExceededException", "LimitExceededException", "PriorRequestNotComplete",
        "TransactionInProgressException", "ConditionalRequestConflict", "OperationAborted", "RequestTimeout",
    }
)  # fmt: skip
# What each call needs. Source: the Service Authorization Reference of AWS.
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
# In characters: what a server says may be a whole page.
_LONGEST: Final = 300


class RefusedRequestError(StoreError):
    """A service refused a request, which had no effect. `reason` is its code, such as `PreconditionFailed`."""

    def __init__(self, message: str, reason: str, status: int) -> None:
        super().__init__(message)
        self.reason = reason
        self.status = status

    @property
    def is_denied(self) -> bool:
        """Whether a right is missing."""
        return self.reason in _DENIED or (self.status == 403 and not self.reason)

    @property
    def is_missing(self) -> bool:
        """Whether the object is missing, and not the bucket."""
        return self.reason in ("NoSuchKey", "NoSuchVersion") or (self.status == 404 and not self.reason)

    @property
    def is_condition(self) -> bool:
        """Whether the condition of the request did not hold."""
        return self.status == 412 or self.reason == "ConditionalCheckFailedException"

    @property
    def is_unsupported(self) -> bool:
        """Whether the server does not know a header or a request."""
        return self.status in (405, 501) or self.reason in ("NotImplemented", "MethodNotAllowed")


def code_of(answer: Answer) -> str:
    """Return the code of an error, "" if there is none."""
    return _said(answer)[0]


def may_come_again(answer: Answer) -> bool:
    """Return whether a request that was answered so had no effect, and may be sent again."""
    return answer.status == 429 or (answer.status >= 400 and code_of(answer) in _AGAIN)


def refused(subject: str, host: str, call: str, answer: Answer) -> RefusedRequestError:
    """Return what a service said, with what to do about it."""
    code, text, region = _said(answer)
    region = answer.headers.get("x-amz-bucket-region", region)
    said = f"{host} answered {call} with {answer.status}" + (f" {short(code)}" if code else "")
    said += f" ({short(text)})" if text else ""
    return RefusedRequestError(f"{subject}: {way_out(code, answer.status, call, region)}{said}", code, answer.status)


def way_out(code: str, status: int, call: str, region: str = "") -> str:
    """Return what is wrong in words, with a colon; "" if only the code says so."""
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
    """Return the code, the message and the region in an error of a service."""
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
    """Return what a server said, in one line that is not too long."""
    return " ".join(text.split())[:_LONGEST]
