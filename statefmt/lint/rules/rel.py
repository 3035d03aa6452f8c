"""Rules about losses in other releases (REL), which `--for RELEASE` runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from statefmt.formats.losses import CONSEQUENCES, Cause, Loss, encryption_refusal, losses, reason, way_out
from statefmt.formats.releases import Release
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix


def _rule(code: Code, summary: str, belongs: Callable[[Loss], bool], page: str) -> Rule:
    return Rule(code, lambda subject: _findings(subject, code, summary, belongs), page=page)


_REFUSED = "Refused by the release"


def _refused(subject: Subject) -> Iterable[Finding]:
    release, version = subject.release, subject.inspection.version
    envelope = None if release is None else subject.envelope
    if release is not None and envelope is not None and (why := encryption_refusal(envelope.meta, release)):
        detail = f"The state is encrypted, and {release.title} {why}."
        fix = Fix.of("To decrypt it: ", subject.command("decrypt", "--in-place"), ".")
        yield Code.RELEASE_REFUSES_STATE.finding(_REFUSED, detail, fix=fix)
    if release is not None and version is not None and version not in release.formats_read:
        detail = f"The state has format version {version}, which {release.title} does not read."
        fix = Fix.of("To convert it to format version 4: ", subject.rewriting(), ".")
        yield Code.RELEASE_REFUSES_STATE.finding(_REFUSED, detail, pointer="/version", fix=fix)
    yield from _findings(subject, Code.RELEASE_REFUSES_STATE, _REFUSED, lambda loss: loss.cause is Cause.REFUSED)


def _findings(subject: Subject, code: Code, summary: str, belongs: Callable[[Loss], bool]) -> Iterable[Finding]:
    """Yield a finding for each loss that belongs to a rule; none without a release."""
    release = subject.release
    if release is None:
        return
    for loss in subject.once(_losses):
        if belongs(loss):
            yield code.finding(
                summary, _detail(loss, release), loss.address, loss.pointer, way_out(loss.cause, release)
            )


def _losses(subject: Subject) -> Sequence[Loss]:
    snapshot = subject.inspection.snapshot
    return () if snapshot is None or subject.release is None else losses(snapshot, subject.release)


def _detail(loss: Loss, release: Release) -> str:
    where = loss.at or "the state"
    if loss.loses_object:
        bound = f"bound to {loss.provider}" if loss.provider else "bound to no provider"
        return f"{where} is {bound}. {release.title} {reason(loss.cause, release)}."
    consequence = f": {CONSEQUENCES[loss.field]}" if loss.field in CONSEQUENCES else ""
    match loss.cause:
        case Cause.REFUSED:
            return f'{release.title} cannot read the state because of "{loss.field}" of {where}{consequence}.'
        case Cause.UNKNOWN:
            return f'{release.title} drops "{loss.field}" of {where}, which statetool does not know either.'
        case _:
            return f'{release.title} does not keep "{loss.field}" of {where}{consequence}.'


RULES: Final = (
    _rule(
        Code.RELEASE_LOSES_OBJECT,
        "Lost by the release",
        lambda loss: loss.loses_object,
        r"""Another release would lose a resource instance or its provider key

## What it does
Reports, with `--for RELEASE`, each object that this release would drop from the state, and each provider key that
it would forget:
- objects bound to a provider instance with a key, and the other objects of the same resource, if the release does
  not know provider instances;
- resources whose provider address the release cannot read.

Without `--for`, the rule reports nothing.

## Why is this bad?
OpenTofu up to 1.8 and all releases of Terraform read such a state with exit status 0 and without a message, and
write it back without these resources. The real objects keep running, but no state contains them any more, so this
is an error.

## Example
```json
{"index_key": "us-east-1", "provider": "provider[\"…/aws\"].by_region[\"us-east-1\"]"}
```

## What to do
Bind all instances of the resource to one provider configuration without a key that reaches them all, with
`statetool rebind RESOURCE PROVIDER`, and `--new-provider` if nothing in the state uses it yet. If none does, because
the instances are in several regions or accounts, first move them to one resource for each configuration, with
`statetool mv`. Make the same changes in the `.tf` files before the next plan.

A resource without instances is removed with `statetool rm`.

Or change the `.tf` files first, and apply them with the release that wrote the state. `statetool downgrade` never
leaves out an object.
""",
    ),
    _rule(
        Code.RELEASE_LOSES_MEMBER,
        "Member lost by the release",
        lambda loss: loss.cause in (Cause.FIELD, Cause.UNKNOWN),
        """Another release would lose a member of the state

## What it does
Reports, with `--for RELEASE`, each meaningful member that this release does not write back: `identity`,
`identity_schema_version`, `skip_destroy`, `deprecated`, `depends_on`, `sensitive_attributes`, check results, and
members that statetool does not know. `statetool releases` shows which release keeps which members. Without `--for`,
the rule reports nothing.

## Why is this bad?
The release drops the member with its next write, without a message. Most of these members are only informative, but
an object without its `skip_destroy` is destroyed instead of left alone. `statetool downgrade` refuses to drop them
unless asked to, so this is an error.

## Example
```json
{"attributes": {"id": "vpc-0f3a"}, "identity": {"id": "vpc-0f3a"}, "identity_schema_version": 0}
```

## What to do
`statetool downgrade --for RELEASE --drop-lossy` removes members that are only informative and reports them.
`--drop-unknown` removes members that statetool does not know.
""",
    ),
    Rule(
        Code.RELEASE_REFUSES_STATE,
        _refused,
        page="""Another release would refuse to read the state

## What it does
Reports, with `--for RELEASE`, what makes this release refuse the whole state:
- encryption, if it reads plain states only or lacks the key provider;
- a format version that it does not read;
- `dependencies` on ephemeral resources, if it has none, or on types whose names it reserves;
- the `terraform_version` of a newer release, if it compares versions.

Without `--for`, the rule reports nothing.

## Why is this bad?
Every command of that release fails until the state is corrected by hand, so this is an error.

## Example
```json
{"attributes": {"id": "i-0f3a"}, "dependencies": ["ephemeral.vault_token.t"]}
```

## What to do
`statetool downgrade --for RELEASE --drop-lossy` removes these members and reports them. `statetool upgrade`
converts a state from an older format version, and `statetool decrypt` writes an encrypted one in plain text.
""",
    ),
)
