"""What the SDK of AWS could not do, in words that contain no secret."""

from __future__ import annotations

from typing import Final

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConfigNotFound,
    ConfigParseError,
    EndpointConnectionError,
    HTTPClientError,
    InfiniteLoopConfigError,
    InvalidConfigError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    UnknownCredentialError,
)
from botocore.parsers import ResponseParserError

from statefmt.store.s3._errors import short, way_out
from statefmt.text.pattern import pattern

_PARAMETER: Final = pattern(r"\bparameter ([A-Za-z.0-9\[\]]+)")
# What the SDK raises, and what it lets through from files and programs that are missing or not as it expects.
# RuntimeError: credentials that have expired already when they arrive, and answers that are nested too deeply.
SDK_ERRORS: Final = (
    BotoCoreError, ClientError, ResponseParserError, OSError, ValueError, LookupError, TypeError, AttributeError,
    RuntimeError, ArithmeticError,
)  # fmt: skip


def sdk_problem(error: Exception) -> str:
    """Return what prevented the SDK from finding credentials, with what to do about it."""
    match error:
        case ClientError():
            return _refusal(error)
        case NoCredentialsError():
            return (
                "no AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "
                "sign in with `aws sso login`"
            )
        case (
            ProfileNotFound()
            | ConfigParseError()
            | ConfigNotFound()
            | InfiniteLoopConfigError()
            | InvalidConfigError()
            | PartialCredentialsError()
            | UnknownCredentialError()
        ):
            # They name files, profiles and settings.
            text = short(str(error))
            return text[:1].lower() + text[1:]
        case ParamValidationError():
            # Its text has values too.
            names = sorted(set(_PARAMETER.findall(str(error))))
            return f"AWS would not accept these parameters of the request for credentials: {', '.join(names)}"
        case SSOError():
            return "the SSO session has expired or is not valid; sign in with `aws sso login`"
        case EndpointConnectionError():
            return "cannot connect to the service that gives AWS credentials"
        case OSError(strerror=str(reason), filename=str(name)):
            return f"{name}: {reason[:1].lower()}{reason[1:]}"
        case HTTPClientError():
            return f"the service that gives AWS credentials did not answer ({type(error).__name__})"
    # The text may contain what a program printed, or a value of a request.
    return f"AWS credentials could not be found ({type(error).__name__})"


def _refusal(error: ClientError) -> str:
    details = error.response.get("Error", {})
    code = str(details.get("Code", ""))
    status = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) or 0)
    said = short(str(details.get("Message", "")))
    call = error.operation_name
    return f"{way_out(code, status, call)}{call} was answered with {short(code)}" + (f" ({said})" if said else "")
