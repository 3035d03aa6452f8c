"""Certificates for servers and clients on this machine, from an authority of their own."""

from __future__ import annotations

import datetime
import ipaddress
import ssl
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

_DAY: Final = datetime.timedelta(days=1)


class Issued(NamedTuple):
    """A certificate and its key in PEM."""

    certificate: str
    key: str


class Authority:
    """An authority that issues certificates for 127.0.0.1."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("authority")
        public = self._key.public_key()
        unsigned = _unsigned(self._name, self._name, public).add_extension(x509.BasicConstraints(True, None), True)
        unsigned = unsigned.add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        signed = unsigned.add_extension(usage, True).sign(self._key, hashes.SHA256())
        self.pem: Final = signed.public_bytes(Encoding.PEM).decode()

    def issued(self, name: str) -> Issued:
        """Return a certificate for a server or a client."""
        key = ec.generate_private_key(ec.SECP256R1())
        here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        unsigned = _unsigned(_named(name), self._name, key.public_key()).add_extension(here, False)
        signed = unsigned.add_extension(issuer, False).sign(self._key, hashes.SHA256())
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return Issued(signed.public_bytes(Encoding.PEM).decode(), private.decode())

    def server(self, folder: Path, *, wants_certificate: bool = False) -> ssl.SSLContext:
        """Return the context of a server, which may want a certificate of this authority from its clients."""
        issued = self.issued("server")
        (folder / "server.pem").write_text(issued.certificate + issued.key)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "server.pem")
        if wants_certificate:
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations(cadata=self.pem)
        return context


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _unsigned(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    return builder.serial_number(x509.random_serial_number()).not_valid_before(now - _DAY).not_valid_after(now + _DAY)
