"""The situations in which a provider can be gone, each with each way in which a resource is bound to a provider.

`tests/configurations/SITUATION-BINDING` is the configuration after the change, with the state from before it, as
OpenTofu writes it; `test_configurations.py` looks at what is found.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, Final

import msgspec

from statefmt.configuration import load
from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.lint.check import check
from statefmt.model.findings import Severity
from tests.tables import each_row

_FOLDER: Final = Path(__file__).parents[1] / "configurations"
_SITUATIONS: Final = (
    "configuration-removed",
    "element-removed-from-both",
    "element-removed-from-provider",
    "for-each-added",
    "for-each-removed",
    "alias-renamed",
    "module-removed",  # with a provider inside
    "deposed-only",
    "data-source-only",
    "key-changed",
    "nothing-wrong",
)
_BINDINGS: Final = (
    "root",  # in a resource of the root module
    "passed",  # by the caller of a child module, which passes one provider instance
    "keyed",  # the same for each instance of a module with for_each, by a key
    "inside",  # in a resource of a child module that has the provider block itself
)
# What OpenTofu does not permit, with the reason.
_IMPOSSIBLE: Final = {
    ("module-removed", "root"): "a resource of the root module goes only with the whole configuration"
}
_CELLS: Final = [cell for cell in product(_SITUATIONS, _BINDINGS) if cell not in _IMPOSSIBLE]
# In these, a configuration passes nothing any more.
_PASSING: Final = [cell for cell in _CELLS if cell[0] not in ("configuration-removed", "module-removed")]


def _resources(folder: Path) -> list[dict[str, Any]]:
    resources: list[dict[str, Any]] = msgspec.json.decode((folder / "terraform.tfstate").read_bytes())["resources"]
    return resources


def _providers(resource: dict[str, Any]) -> list[str]:
    given = [resource.get("provider"), *(instance.get("provider") for instance in resource["instances"])]
    return [provider for provider in given if provider is not None]


def _is_bound(resource: dict[str, Any], binding: str) -> bool:
    """Whether an entry of a state is one of a resource that is bound like this."""
    module: str = resource.get("module", "")
    own = [provider for provider in _providers(resource) if module and provider.startswith(f"{module}.provider[")]
    match binding:
        case "root":
            return not module
        case "inside":
            return bool(module) and len(own) == len(_providers(resource))
        case _:
            return bool(module) and not own and module.endswith("]") is (binding == "keyed")


@each_row(("situation", "binding"), _CELLS)
def test_the_state_has_resources_that_are_bound_so(situation: str, binding: str) -> None:
    resources = _resources(_FOLDER / f"{situation}-{binding}")
    assert any(_is_bound(resource, binding) for resource in resources)
    assert all("[" not in resource.get("module", "") for resource in resources) or binding == "keyed"


@each_row(("situation", "binding"), _PASSING)
def test_the_configuration_passes_providers_so(situation: str, binding: str) -> None:
    calls = load(_FOLDER / f"{situation}-{binding}").root.declarations.calls.values()
    passed = [(call, read_provider_reference(pair.parent)) for call in calls for pair in call.providers or ()]
    references = [(call, reference) for call, reference in passed if isinstance(reference, ProviderReference)]
    assert bool(references) is (binding in ("passed", "keyed"))
    assert all((call.repetition.for_each is not None) is (binding == "keyed") for call, _ in references)


@each_row(("situation", "binding"), _CELLS)
def test_the_state_is_as_opentofu_writes_it(situation: str, binding: str) -> None:
    found = check((_FOLDER / f"{situation}-{binding}" / "terraform.tfstate").read_bytes())
    assert [finding for finding in found if finding.code == "STA007" or finding.severity is Severity.ERROR] == []


def test_every_cell_is_there_or_impossible() -> None:
    every = set(product(_SITUATIONS, _BINDINGS))
    there = {cell for cell in every if (_FOLDER / "-".join(cell) / "expected.json").is_file()}
    assert every - there == set(_IMPOSSIBLE)
