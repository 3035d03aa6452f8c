"""Verifies servers, and authenticates the client to them, like Go's `crypto/tls` and `crypto/x509`."""

from __future__ import annotations

import os
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError

# The trusted certificates of systems, besides the built-in place of OpenSSL. Source: Go
# `src/crypto/x509/root_linux.go`, `root_bsd.go`.
_FILES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """Certificates in PEM: the only trusted authorities ("" for the system's authorities), and the client's own.

    `key` is the private key of the client's certificate. `verifies` is False to trust every server.
    """

    authorities: str = ""
    certificate: str = ""
    key: str = ""
    verifies: bool = True


def tls_context(settings: TlsSettings, environment: Mapping[str, str]) -> ssl.SSLContext:
    """Return the TLS context of connections.

    SSL_CERT_FILE and SSL_CERT_DIR replace the authorities of the system. Raises StoreError, without any part of a key,
    if a certificate or the key is not valid.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if settings.authorities:
        try:
            context.load_verify_locations(cadata=settings.authorities)
        except (ssl.SSLError, ValueError):
            raise StoreError("the certificates of authorities are not valid PEM") from None
    elif settings.verifies:
        _trust_system(context, environment)
    if not settings.verifies:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if settings.certificate:
        _identify(context, settings)
    return context


def _trust_system(context: ssl.SSLContext, environment: Mapping[str, str]) -> None:
    usual = ssl.get_default_verify_paths()
    named = environment.get("SSL_CERT_FILE")
    if named:
        try:
            context.load_verify_locations(cafile=named)
        except OSError as error:
            raise StoreError(f"SSL_CERT_FILE: {named}: {error.strerror or 'this has no certificate in PEM'}") from error
    else:
        found = next((path for path in (usual.openssl_cafile, *_FILES) if os.path.isfile(path)), None)  # noqa: PTH113
        if found is not None:
            context.load_verify_locations(cafile=found)
        elif os.name == "nt":
            context.load_default_certs()
    folders = environment.get("SSL_CERT_DIR") or usual.openssl_capath
    for folder in folders.split(os.pathsep):
        # OpenSSL reads the folder when it needs a certificate.
        if Path(folder).is_dir():
            context.load_verify_locations(capath=folder)


def _identify(context: ssl.SSLContext, settings: TlsSettings) -> None:
    try:
        with _as_file(settings.certificate) as certificate, _as_file(settings.key) as key:
            # Without a password, OpenSSL would prompt for the password of an encrypted key.
            context.load_cert_chain(certificate, key, password="")
    except (OSError, ValueError):
        # OpenSSL's message may contain parts of the key.
        raise StoreError("the client certificate and its private key are not valid PEM, or no pair") from None


@contextmanager
def _as_file(text: str) -> Iterator[str]:
    """Provide a text as a file without storing it on disk: Python loads client certificates from files only."""
    source, target = os.pipe()
    try:
        os.set_blocking(target, False)
        content = text.encode()
        try:
            # No certificate is too long for a pipe.
            fits = os.write(target, content) == len(content)
        except BlockingIOError:
            fits = False
        finally:
            os.close(target)
        if not fits:
            raise StoreError("the client certificate or its private key is too large")
        yield f"/dev/fd/{source}"
    finally:
        os.close(source)
