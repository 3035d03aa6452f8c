"""What went wrong with a request to AWS, in words that contain no secret."""

from __future__ import annotations

from typing import Final

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConfigNotFound,
    ConfigParseError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    InfiniteLoopConfigError,
    NoCredentialsError,
    PartialCredentialsError,
    ProfileNotFound,
    ProxyConnectionError,
    SSLError,
    SSOError,
)

from statefmt.model.errors import StoreError

# Codes with which a service says that it did nothing, since it has too much to do.
_THROTTLED: Final = frozenset(
    {
        "SlowDown", "Throttling", "ThrottlingException", "ThrottledException", "RequestThrottled",
        "RequestThrottledException", "RequestLimitExceeded", "TooManyRequestsException", "BandwidthLimitExceeded",
        "ProvisionedThroughputExceededException", "LimitExceededException", "PriorRequestNotComplete",
        "TransactionInProgressException", "EC2ThrottledException",
    }
)  # fmt: skip
# Codes with which S3 says that it did nothing, and that the same request may be sent again.
_AGAIN: Final = frozenset({"ConditionalRequestConflict", "OperationAborted", "RequestTimeout"})
# What each call needs. Source: the Service Authorization Reference of AWS.
_RIGHTS: Final = {
    "GetObject": "s3:GetObject, and s3:ListBucket to see that an object is missing",
    "HeadObject": "s3:GetObject, and s3:ListBucket to see that an object is missing",
    "GetObjectVersion": "s3:GetObjectVersion",
    "PutObject": "s3:PutObject",
    "DeleteObject": "s3:DeleteObject",
    "ListObjectsV2": "s3:ListBucket",
    "ListObjectVersions": "s3:ListBucketVersions",
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
_DENIED: Final = frozenset({"AccessDenied", "AccessDeniedException", "AllAccessDisabled", "403", "Forbidden"})


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
        return self.reason in _DENIED or self.status == 403

    @property
    def is_missing(self) -> bool:
        """Whether the object is missing, and not the bucket."""
        return self.reason in ("NoSuchKey", "404", "NotFound")

    @property
    def is_condition(self) -> bool:
        """Whether the condition of the request did not hold."""
        return self.status == 412 or self.reason in ("PreconditionFailed", "ConditionalCheckFailedException")

    @property
    def is_unsupported(self) -> bool:
        """Whether the server does not know a header or a request."""
        return self.status == 501 or self.reason == "NotImplemented"


def reason_of_error(error: ClientError) -> str:
    """Return the code of an error."""
    return str(error.response.get("Error", {}).get("Code", ""))


def status_of_error(error: ClientError) -> int:
    """Return the HTTP status of an error, 0 if there is none."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) or 0)


def is_without_effect(error: Exception) -> bool:
    """Return whether a request that failed so had no effect for sure, and may be sent again."""
    if isinstance(error, ClientError):
        code = reason_of_error(error)
        return code in _THROTTLED or code in _AGAIN or status_of_error(error) == 429
    return isinstance(error, (EndpointConnectionError, ConnectTimeoutError, ProxyConnectionError))


def is_passing(error: Exception) -> bool:
    """Return whether a request that only reads may succeed when it is sent again."""
    if isinstance(error, ClientError):
        return is_without_effect(error) or status_of_error(error) >= 500
    return isinstance(error, HTTPClientError) and not is_certificate(error)


def is_certificate(error: Exception) -> bool:
    """Return whether the certificate of a server was refused, before a request was sent."""
    return isinstance(error, SSLError) and "CERTIFICATE_VERIFY_FAILED" in str(error).upper().replace(" ", "_")


def is_lost(error: Exception) -> bool:
    """Return whether the answer to a request was lost: it may have had its effect."""
    if isinstance(error, ClientError):
        return status_of_error(error) >= 500 and not is_without_effect(error) and status_of_error(error) != 501
    return isinstance(error, HTTPClientError) and not is_without_effect(error) and not is_certificate(error)


def refusal(subject: str, host: str, error: ClientError) -> RefusedRequestError:
    """Return what a service said, with what to do about it."""
    code, status = reason_of_error(error), status_of_error(error)
    said = _one_line(str(error.response.get("Error", {}).get("Message", "")))
    call = error.operation_name
    details = f"{host} answered {call} with {_one_line(code) or status}" + (f" ({said})" if said else "")
    return RefusedRequestError(f"{subject}: {_way_out(code, status, call)}{details}", code, status)


def _way_out(code: str, status: int, call: str) -> str:
    if code == "NoSuchBucket":
        return "there is no such bucket: "
    if code == "ResourceNotFoundException":
        return "there is no such table in DynamoDB: "
    if status == 301 or code in ("PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraint"):
        return "the bucket is in another region; set `region`: "
    if code in _EXPIRED:
        return "the credentials have expired; sign in again: "
    if code in _CREDENTIALS:
        return "the credentials are not valid: "
    if code in _DENIED or status == 403:
        right = _RIGHTS.get(call, "")
        return f"access denied; this needs {right}: " if right else "access denied: "
    return ""


def problem_of(error: Exception, host: str) -> str:
    """Return what prevented a request, without what may contain a secret."""
    match error:
        case SSLError() if is_certificate(error):
            return (
                f"the certificate of {host} is not valid for this system; "
                "set `custom_ca_bundle` or AWS_CA_BUNDLE if it is of a private authority"
            )
        case EndpointConnectionError() | ProxyConnectionError():
            return f"cannot connect to {host}" + (
                " through the proxy" if isinstance(error, ProxyConnectionError) else ""
            )
        case ConnectTimeoutError():
            return f"cannot connect to {host} in time"
        case HTTPClientError():
            return f"the answer of {host} was lost ({type(error).__name__})"
        case NoCredentialsError():
            return (
                "no AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                "or sign in with `aws sso login`"
            )
        case ProfileNotFound() | ConfigParseError() | ConfigNotFound() | InfiniteLoopConfigError():
            return _one_line(str(error))
        case PartialCredentialsError():
            return _one_line(str(error))
        case SSOError():
            return "the SSO session has expired or is not valid; sign in with `aws sso login`"
        case BotoCoreError():
            # Its text may contain what a program printed, or a value of the request.
            return f"the credentials or the request could not be prepared ({type(error).__name__})"
    return type(error).__name__


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
