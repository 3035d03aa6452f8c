r"""A provider configuration is inside a module with keys

## What it does
Reports a resource in a module instance with a key (`module.app["a"]`) whose provider configuration is declared in
that module or in a module that it calls.

## Why is this bad?
OpenTofu refuses `count` and `for_each` on a module that has its own provider configurations, so the resource cannot
stay bound to this one. The state itself can be read, and the problem only shows in the next plan, so this is
a warning.

## Example
```json
{"module": "module.app[\"a\"]", "type": "aws_sqs_queue", "name": "jobs",
 "provider": "module.app.provider[\"registry.opentofu.org/hashicorp/aws\"]"}
```

## What to do
Move the `provider` block to the root module, pass it to the module in `providers`, and set the resource's
`provider` to the configuration of the root module: `provider["registry.opentofu.org/hashicorp/aws"]`.
"""

from collections.abc import Iterable
from functools import lru_cache

from statefmt.lint.provider_addresses import places
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, Module, ModuleInstance
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    reported = set()
    for place in places(subject, _is_in_module):
        address = place.resource.address
        config = place.provider.config
        keyed = _keyed_call(place.resource.document.module or "", config.module)
        if not keyed or address in reported:
            continue
        reported.add(address)
        in_root = ConfigProviderConfig(Module(), config.provider, config.alias)
        yield Code.PROVIDER_IN_KEYED_MODULE.finding(
            "Module is incompatible with count, for_each, enabled and depends_on",
            f"Resource {address} belongs to {config}, which is declared in {config.module}, but {keyed} has a key. "
            "OpenTofu refuses count and for_each on modules with their own provider configurations.",
            address,
            place.pointer,
            Fix.of(
                "Declare the provider in the root module and pass it to the module, then run ",
                # The default configuration of a provider always exists.
                subject.command("rebind", address, str(in_root), *(["--new-provider"] if in_root.alias else [])),
                ".",
            ),
        )


def _is_in_module(provider: AbsProviderInstance) -> bool:
    return not provider.config.module.is_root


@lru_cache(maxsize=4096)
def _keyed_call(text: str, declaring: Module) -> str:
    """Return the outermost module instance with a key in `text` that is or calls the declaring module, or ""."""
    try:
        steps = parse_module_instance(text).steps
    except AddressError:
        return ""
    on_the_way = steps[: len(declaring.names)]
    if tuple(step.name for step in on_the_way) != declaring.names:
        return ""
    depths = (depth for depth, step in enumerate(on_the_way, 1) if step.key is not NO_KEY)
    return str(ModuleInstance(steps[: next(depths, 0)]))


RULE = Rule(Code.PROVIDER_IN_KEYED_MODULE, _check)
