"""Rules about envelopes of encrypted states (ENC)."""

from collections.abc import Iterable
from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.errors import EncryptionError
from statefmt.model.findings import Code, Finding, Fix


def _envelope_identity(subject: Subject) -> Iterable[Finding]:
    opened = subject.opened
    if opened is None or opened.envelope is None:
        return
    from statefmt.encryption import identity_differs

    try:
        differ = identity_differs(opened.envelope, opened.plain)
    except EncryptionError:
        # Other rules report an envelope without a state, or with an invalid serial.
        return
    for name in differ:
        yield Code.ENVELOPE_IDENTITY.finding(
            "Envelope of another state",
            f"The {name} of the envelope differs from that of the state inside: the envelope was changed.",
            fix="Restore a backup (statetool restore BACKUP), or a version that the backend keeps.",
        )


def _metadata_unused(subject: Subject) -> Iterable[Finding]:
    opened = subject.opened
    if opened is None or opened.envelope is None:
        return
    for key in sorted(opened.envelope.meta.keys() - opened.meta_keys):
        yield Code.METADATA_UNUSED.finding(
            "Unused metadata",
            f"The envelope has metadata under {key}, which {opened.method} does not need to read the state.",
            fix=Fix.of("To write the envelope without it: ", subject.command("reencrypt", "--in-place", "--anew"), "."),
        )


def _weak_iterations(subject: Subject) -> Iterable[Finding]:
    envelope = subject.envelope
    if envelope is None:
        return
    from statefmt.encryption.key_providers import LEAST_ITERATIONS, provider_entries

    for entry in provider_entries(envelope):
        if entry.pbkdf2 is not None and entry.is_weak:
            yield Code.WEAK_ITERATIONS.finding(
                "Weak key",
                f"The key of {entry.key} is derived with an iteration count of {entry.pbkdf2.iterations:,}; OpenTofu "
                f"allows no fewer than {LEAST_ITERATIONS:,}.",
                fix=Fix.of("To derive a new one: ", subject.command("reencrypt", "--in-place", "--anew"), "."),
            )


def _read_by_fallback(subject: Subject) -> Iterable[Finding]:
    opened = subject.opened
    if opened is None or opened.envelope is None or opened.is_current:
        return
    yield Code.READ_BY_FALLBACK.finding(
        "Encrypted with a fallback",
        f"The state was decrypted with {opened.method}, a fallback of the encryption configuration.",
        fix=Fix.of("To encrypt it with the first method: ", subject.command("reencrypt", "--in-place"), "."),
    )


_STANDARD_INPUT: Final = "-"


def _not_encrypted(subject: Subject) -> Iterable[Finding]:
    opened = subject.opened
    if opened is None or opened.envelope is not None or opened.is_current or subject.name == _STANDARD_INPUT:
        return
    if subject.inspection.document is None:
        # Not a state: nothing to encrypt.
        return
    yield Code.NOT_ENCRYPTED.finding(
        "Not encrypted",
        "The state is plain text, but the first method of the encryption configuration encrypts.",
        fix=Fix.of("To encrypt it: ", subject.command("encrypt", "--in-place"), "."),
    )


def _envelope_unknown_member(subject: Subject) -> Iterable[Finding]:
    envelope = subject.envelope
    if envelope is None:
        return
    for name in envelope.unknown:
        yield Code.ENVELOPE_UNKNOWN_MEMBER.finding(
            "Unknown member",
            f"The envelope has a member {name!r}, which OpenTofu ignores and drops.",
            fix=Fix.of("To drop it: ", subject.command("reencrypt", "--in-place", "--anew"), "."),
        )


def _envelope_version(subject: Subject) -> Iterable[Finding]:
    if not subject.is_encrypted or subject.envelope is not None:
        return
    from statefmt.encryption import version_of
    from statefmt.encryption.envelope import VERSION

    version = version_of(subject.inspection.data)
    if version not in ("", VERSION):
        yield Code.ENVELOPE_VERSION.finding(
            "Unsupported envelope version",
            f"The envelope has version {version}; only {VERSION} can be read.",
            fix="Try a newer statetool, or restore the file from a backup.",
        )


RULES: Final = (
    Rule(
        Code.ENVELOPE_IDENTITY,
        _envelope_identity,
        page="""The serial or lineage of the envelope differs from the state's

## What it does
Reports an encrypted state whose envelope has another `serial` or `lineage` than the state in it. The rule needs an
encryption configuration, since it must decrypt the state.

## Why is this bad?
The envelope has an unprotected copy of these values, and backends rely on it. Someone changed the copy, or put the
data of one state into the envelope of another: an old state may be passed off as a new one. OpenTofu refuses the
state, and so does every command except `check` and `encryption-info`.

## Example
```json
{"serial": 8, "lineage": "7d1e6a52-…", "encrypted_data": "(a state with the serial 7)", "encryption_version": "v0"}
```

## What to do
Find out who wrote it, and restore the last good copy: a backup with `statetool restore BACKUP`, or one of the versions
that the backend keeps.
""",
    ),
    Rule(
        Code.METADATA_UNUSED,
        _metadata_unused,
        page="""The envelope has unused metadata

## What it does
Reports entries of `meta` in the envelope of an encrypted state that are not needed to decrypt it. The rule needs an
encryption configuration.

## Why is this bad?
OpenTofu writes exactly the entries that the method needs, so something else added this one. Nothing protects
`meta`: the entry may be an attempt to make OpenTofu use a key that an attacker knows, or it may come from merging
two files.

## Example
```json
{"meta": {"key_provider.pbkdf2.main": "…", "key_provider.pbkdf2.other": "…"}, "encryption_version": "v0"}
```

## What to do
Find out who wrote it. Every write drops the entry, for example `statetool reencrypt --anew --in-place`.
""",
    ),
    Rule(
        Code.WEAK_ITERATIONS,
        _weak_iterations,
        page=r"""The encryption key is derived with too few iterations

## What it does
Reports metadata of a `pbkdf2` key provider with fewer than 200,000 iterations. The rule needs no encryption
configuration.

## Why is this bad?
The fewer the iterations, the more passphrases someone with the file can try in a second. OpenTofu allows no fewer
than 200,000 in a configuration and defaults to 600,000. But it reads a state with any number, so another program or
an edit by hand wrote this one.

## Example
```json
{"meta": {"key_provider.pbkdf2.main": "(base64 of) {\"salt\":\"…\",\"iterations\":1000,…}"}, "encryption_version": "v0"}
```

## What to do
Encrypt the state again with the iterations of the configuration: `statetool reencrypt --anew --in-place`. Old
copies of the file remain weak, so use a new passphrase, too.
""",
    ),
    Rule(
        Code.READ_BY_FALLBACK,
        _read_by_fallback,
        page="""The state is still encrypted with a fallback method

## What it does
Reports an encrypted state that was decrypted by a fallback of the encryption configuration, because its first
method could not. The rule needs an encryption configuration.

## Why is this bad?
A fallback is meant for the time of a migration to a new passphrase or another key provider. As long as one state
needs it, the old key cannot be retired, and everyone who has it can still read the state.

## Example
```json
{"state": {"method": "method.aes_gcm.new", "fallback": {"method": "method.aes_gcm.old"}}}
```

## What to do
Run `statetool reencrypt --in-place` to encrypt the state with the first method. `statetool reencrypt --check` finds
all states that still need it.
""",
    ),
    Rule(
        Code.NOT_ENCRYPTED,
        _not_encrypted,
        page="""The state is not encrypted, but the configuration says it should be

## What it does
Reports a plain-text state file if the first method of the encryption configuration encrypts. Standard input is not
reported: `tofu state pull` prints plain text.

## Why is this bad?
Everyone who can read the file can read all secrets in the state. A file with the output of `tofu state pull` is
plain text, too, so this is information.

## Example
```json
{"state": {"method": "method.aes_gcm.main", "fallback": {"method": "method.unencrypted.migration"}}}
```

## What to do
Run `statetool encrypt --in-place`, and remove the plain-text backup that it names.
""",
    ),
    Rule(
        Code.ENVELOPE_UNKNOWN_MEMBER,
        _envelope_unknown_member,
        page="""The envelope has an unknown member

## What it does
Reports members of the envelope of an encrypted state other than the five that OpenTofu writes. The rule needs no
encryption configuration.

## Why is this bad?
OpenTofu ignores the member, and the next program that writes the state drops it. Nothing protects it either: anyone
can have written it, so no program should rely on it.

## Example
```json
{"serial": 7, "meta": {}, "encrypted_data": "…", "encryption_version": "v0", "note": "by hand"}
```

## What to do
Find out what wrote it, and keep the value elsewhere if it is useful. `statetool reencrypt --anew --in-place` drops
it.
""",
    ),
    Rule(
        Code.ENVELOPE_VERSION,
        _envelope_version,
        page="""The envelope has an unsupported version

## What it does
Reports an encrypted state whose `encryption_version` is not `v0`, the only version so far. The rule needs no
encryption configuration.

## Why is this bad?
Neither OpenTofu nor statetool can read the state, whatever the configuration. A newer release may have written it,
or the file is damaged.

## Example
```json
{"serial": 7, "meta": {}, "encrypted_data": "…", "encryption_version": "v1"}
```

## What to do
Try a newer statetool or OpenTofu. Otherwise restore the file from a backup.
""",
    ),
)
