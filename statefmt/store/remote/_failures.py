"""What the exceptions of urllib3 mean: whether the request may have arrived, and why there is no answer.

Their own texts are not shown: they may have credentials of a URL, and what a server wrote.
"""

from __future__ import annotations

import ssl
from typing import Final

from urllib3 import exceptions as problems

from statefmt.model.wording import MessagePart, Wording
from statefmt.text.pattern import pattern

_TUNNEL: Final = pattern(r"Tunnel connection failed: ([0-9]{3})\b")


class NoAnswerError(Exception):
    """There is no answer to a request, or only a part of one.

    `reason` is a sentence, and `advice` parts of a message that follow it. `arrived` is False if the request certainly
    did not reach the server. `passes` is False if the same request would fail again.
    """

    def __init__(self, reason: str, *advice: MessagePart, arrived: bool, passes: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.advice = advice
        self.arrived = arrived
        self.passes = passes


def failure(error: Exception, connect: float, answer: float) -> NoAnswerError:
    """Return what an exception means; `connect` and `answer` are the longest times to wait, in seconds."""
    match error:
        case problems.ProxyError():
            # urllib3 raises it only until there is a connection to the proxy, and a tunnel.
            inner = failure(error.original_error, connect, answer)
            status = _TUNNEL.search(str(error.original_error))
            reason = f"it answered with status {status[1]}" if status else inner.reason
            return NoAnswerError(f"the proxy: {reason}", *inner.advice, arrived=False, passes=inner.passes)
        case problems.NameResolutionError():
            return NoAnswerError("the name of the host cannot be resolved", arrived=False)
        case problems.NewConnectionError():
            cause = error.__cause__
            reason = (isinstance(cause, OSError) and cause.strerror) or "there is no connection"
            return NoAnswerError(reason[:1].lower() + reason[1:], arrived=False)
        # NewConnectionError is one, too.
        case problems.ConnectTimeoutError():
            return NoAnswerError(f"there was no connection within {connect:g} s", arrived=False)
        case problems.SSLError():
            return _of_tls(error)
        case problems.ReadTimeoutError():
            return NoAnswerError(f"there was no answer within {answer:g} s", arrived=True)
        case problems.DecodeError():
            return NoAnswerError("the answer cannot be decoded", arrived=True)
        case problems.LocationValueError():
            return NoAnswerError("this is not a valid URL", arrived=False, passes=False)
    return NoAnswerError("the connection was lost before the end of the answer", arrived=True)


def _of_tls(error: problems.SSLError) -> NoAnswerError:
    cause = error.args[0] if error.args else None
    if isinstance(cause, ssl.SSLCertVerificationError):
        return NoAnswerError(
            f"the certificate of the server cannot be verified ({cause.verify_message.rstrip('.')}); if it is from an "
            "authority of your own, name that in the arguments of the backend or with SSL_CERT_FILE; ",
            Wording("--no-verify", "verify=False in BackendOptions"),
            " trusts every server",
            arrived=False,
            passes=False,
        )
    reason = cause.reason if isinstance(cause, ssl.SSLError) and cause.reason else "unknown reason"
    # A server that wants a client certificate says so after the request was sent.
    return NoAnswerError(f"there is no secure connection ({reason.lower().replace('_', ' ')})", arrived=True)
