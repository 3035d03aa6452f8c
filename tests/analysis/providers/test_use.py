"""What is bound to which provider instance: counted from the bindings that the states below spell out."""

from __future__ import annotations

from statefmt.analysis.providers import ConfigurationUse, by_resource, provider_use
from tests.analysis.states import AWS, resource, snapshot

REGION = f"{AWS}.by_region"
EU, US = f'{REGION}["eu"]', f'{REGION}["us"]'

STATE = snapshot(
    resource("aws_vpc.z", {}, provider=AWS),
    resource("aws_s3_bucket.logs", {"index_key": "us", "provider": US}, {"index_key": "eu", "provider": EU}),
    resource(
        "module.a.aws_db_instance.main",
        {"provider": EU},
        {"deposed": "00000001", "provider": EU},
        {"deposed": "00000002", "provider": US},
    ),
    resource("random_pet.a", {}, provider='module.b.provider["registry.opentofu.org/hashicorp/random"]'),
    resource("aws_vpc.empty", provider=f"{AWS}.unused"),
    resource("aws_vpc.none"),
)


def _shape(use: ConfigurationUse) -> tuple[str, dict[str, list[str]]]:
    return str(use.config), {
        str(instance.provider.key): [f"{obj.addr} {obj.deposed}".strip() for obj in instance.objects]
        for instance in use.instances
    }


def test_every_object_once_under_its_provider_instance() -> None:
    assert [_shape(use) for use in provider_use(STATE)] == [
        (AWS, {"": ["aws_vpc.z"]}),
        (
            REGION,
            {
                '["eu"]': [
                    'aws_s3_bucket.logs["eu"]',
                    "module.a.aws_db_instance.main",
                    "module.a.aws_db_instance.main 00000001",
                ],
                '["us"]': ['aws_s3_bucket.logs["us"]', "module.a.aws_db_instance.main 00000002"],
            },
        ),
        (f"{AWS}.unused", {}),
        ('module.b.provider["registry.opentofu.org/hashicorp/random"]', {"": ["random_pet.a"]}),
    ]


def test_keys_stand_by_number_then_by_text() -> None:
    keys: list[int | str] = ["b", 10, 2, "10", "B"]
    instances = [{"index_key": key, "provider": f"{REGION}[{key if isinstance(key, int) else chr(34) + key + chr(34)}]"}
                 for key in keys]  # fmt: skip
    (use,) = provider_use(snapshot(resource("aws_vpc.a", *instances)))
    assert [str(instance.provider.key) for instance in use.instances] == ["[2]", "[10]", '["10"]', '["B"]', '["b"]']


# Instances and their providers, and the keys that only one resource instance uses.
PLACES: list[tuple[str, list[dict[str, object]], list[str]]] = [
    ("two instances", [{"index_key": 0, "provider": EU}, {"index_key": 1, "provider": EU}], []),
    ("one instance", [{"index_key": 0, "provider": EU}], ['["eu"]']),
    ("one instance with a deposed object", [{"provider": EU}, {"deposed": "00000001", "provider": EU}], ['["eu"]']),
    ("each its own", [{"index_key": 0, "provider": EU}, {"index_key": 1, "provider": US}], ['["eu"]', '["us"]']),
    ("no key", [{"provider": REGION}], []),
]


def test_keys_used_in_only_one_place() -> None:
    for name, instances, alone in PLACES:
        (use,) = provider_use(snapshot(resource("aws_vpc.a", *instances)))
        found = [str(instance.provider.key) for instance in use.instances if instance.only_place is not None]
        assert found == alone, name


def test_grouped_by_module_and_by_resource() -> None:
    _, use, *_ = provider_use(STATE)
    eu = use.instances[0]
    assert [(str(module), len(of)) for module, of in eu.by_module().items()] == [("", 1), ("module.a", 2)]
    assert [(str(addr), len(of)) for addr, of in by_resource(eu.objects).items()] == [
        ("aws_s3_bucket.logs", 1),
        ("module.a.aws_db_instance.main", 2),
    ]


def test_all_objects_are_there() -> None:
    bound = [obj for use in provider_use(STATE) for instance in use.instances for obj in instance.objects]
    assert len(bound) == len(set(bound)) == sum(len(resource.objects) for resource in STATE.resources)
