"""URLs that name one state: the place, settings and location that each stands for, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, strategies as st

from statefmt import StoreError, run_context
from statefmt.locations import BackendOptions, current_state, found_state
from statefmt.store.backends import RemoteName, state_words
from statefmt.store.backends.settings import SettingSource
from statefmt.whereabouts import url_name
from statefmt.whereabouts.urls import url_without_values
from tests.cli.conftest import folder
from tests.tables import each_row

__all__ = ["folder"]

SECRET: Final = "s3cr3t-pa55"

# The URL, the type, the workspace, the location, and the settings that the URL gives.
PLACES: Final[list[tuple[str, str, str, str, dict[str, object]]]] = [
    ("s3://b/app.tfstate", "s3", "default", "s3://b/app.tfstate", {"bucket": "b", "key": "app.tfstate"}),
    (
        "s3://b/env:/prod/app?region=eu-west-1",
        "s3",
        "default",
        "s3://b/env:/prod/app?region=eu-west-1",
        {"bucket": "b", "key": "env:/prod/app", "region": "eu-west-1"},
    ),
    (
        "s3://b/k?use_lockfile=true&endpoints.s3=http://127.0.0.1:9000&use_path_style=true",
        "s3",
        "default",
        "s3://b/k",
        {
            "bucket": "b",
            "key": "k",
            "use_lockfile": True,
            "endpoints.s3": "http://127.0.0.1:9000",
            "use_path_style": True,
        },
    ),
    ("s3://b/a%20b%25c%3Fd%23e", "s3", "default", "s3://b/a%20b%25c%3Fd%23e", {"bucket": "b", "key": "a b%c?d#e"}),
    ("s3://b/a@b/c=d", "s3", "default", "s3://b/a@b/c=d", {"bucket": "b", "key": "a@b/c=d"}),
    (
        'S3://b/k?shared_config_files=["/a","/b"]&dynamodb_table=locks&profile=p',
        "s3",
        "default",
        "s3://b/k",
        {"bucket": "b", "key": "k", "shared_config_files": ["/a", "/b"], "dynamodb_table": "locks", "profile": "p"},
    ),
    (
        "pg://db:5433/states?schema=s&workspace=dev&table=t",
        "pg",
        "dev",
        "pg://db:5433/states?schema=s&table=t&workspace=dev",
        {"conn_str": "postgres://db:5433/states", "schema_name": "s", "table_name": "t"},
    ),
    (
        "pg://me@db/states?sslmode=require&application_name=a%20b",
        "pg",
        "default",
        "pg://db/states?schema=terraform_remote_state&workspace=default",
        {"conn_str": "postgres://me@db/states?sslmode=require&application_name=a%20b"},
    ),
    (
        "pg://%2Frun%2Fpg/states",
        "pg",
        "default",
        "pg://%2Frun%2Fpg/states?schema=terraform_remote_state&workspace=default",
        {"conn_str": "postgres://%2Frun%2Fpg/states"},
    ),
    (
        "pg://[::1]:5432/a%2Fb?workspace=w",
        "pg",
        "w",
        "pg://[::1]:5432/a%2Fb?schema=terraform_remote_state&workspace=w",
        {"conn_str": "postgres://[::1]:5432/a%2Fb"},
    ),
    (
        "https://state.example/app?tenant=5&lock_address=https://state.example/app/lock&x=a%2Fb",
        "http",
        "default",
        "https://state.example/app?tenant=…&x=…",
        {"address": "https://state.example/app?tenant=5&x=a%2Fb", "lock_address": "https://state.example/app/lock"},
    ),
    ("http://127.0.0.1:8080", "http", "default", "http://127.0.0.1:8080", {"address": "http://127.0.0.1:8080"}),
    (
        "https://h/s?retry_max=0&lock_method=PUT",
        "http",
        "default",
        "https://h/s",
        {"address": "https://h/s", "retry_max": 0, "lock_method": "PUT"},
    ),
]


@each_row(("url", "kind", "workspace", "location", "values"), PLACES, ids=[one[0] for one in PLACES])
def test_place(url: str, kind: str, workspace: str, location: str, values: dict[str, object]) -> None:
    name = current_state(run_context(), url)
    assert isinstance(name, RemoteName)
    assert (name, name.place.type, name.place.workspace) == (location, kind, workspace)
    said = {one.name: one.value for one in name.place.settings if one.source is SettingSource.URL}
    assert said == values
    assert name.folder is None
    # The name of a name is itself, also in another process.
    assert current_state(run_context(), name) is name
    again = pickle.loads(pickle.dumps(name))
    assert (again, again.place, again.words) == (name, name.place, name.words)


# The URL, and a part of the message.
REFUSED: Final = [
    ("s3://b", "s3://BUCKET/KEY"),
    ("s3:///k", "s3://BUCKET/KEY"),
    ("s3://b//k", "must not start or end with a slash"),
    ("s3://b/k/", "must not start or end with a slash"),
    ("s3://b/k#f", "write %23"),
    ("s3://b/100%", "write %25"),
    ("s3://b/k\n", "control characters"),
    ("s3://b/k?regoin=eu", "no argument 'regoin'; did you mean region?"),
    ("s3://b/k?region=a&region=b", "region is given twice"),
    ("s3://b/k?key=other", "key cannot be an argument in the URL"),
    ("s3://b/k?use_lockfile=perhaps", "use_lockfile must be true or false"),
    ("s3://b/k?assume_role={}", "no argument 'assume_role'"),
    ("pg://h/d/e", "pg://HOST:PORT/DATABASE"),
    ("pg://h/d?workspace=../x", "not the name of a workspace"),
    ("pg://h/d?schema=a&schema_name=b", "given twice"),
    ("pg://h/d?conn_str=x", "conn_str cannot be an argument in the URL"),
    ("https:///x", "no host"),
    ("gs://b/k", "does not open states in the backend 'gcs'"),
    ("oci://n/b/k", "does not open states in the backend 'oci'"),
    ("azurerm://a/c/k", "does not open states in the backend 'azurerm'"),
    ("postgres://h/d", "pg://HOST:PORT/DATABASE"),
]


@each_row(("url", "message"), REFUSED)
def test_refused(url: str, message: str) -> None:
    with pytest.raises(StoreError) as caught:
        current_state(run_context(), url)
    assert message in str(caught.value)


# URLs with a secret, and the way out.
WITH_SECRETS: Final = [
    (f"s3://b/k?secret_key={SECRET}", "AWS_SECRET_ACCESS_KEY"),
    (f"s3://b/k?token={SECRET}", "AWS_SESSION_TOKEN"),
    (f"s3://b/k?sse_customer_key={SECRET}", "AWS_SSE_CUSTOMER_KEY"),
    (f"s3://b/k?assume_role_with_web_identity.web_identity_token={SECRET}", "--backend-config"),
    (f"s3://b/k?endpoints.s3=https://u:{SECRET}@h", "--backend-config"),
    (f"s3://b/k?http_proxy=http://u:{SECRET}@h", "--backend-config"),
    (f"s3://AKIA:{SECRET}@b/k", "AWS_PROFILE"),
    (f"s3://AKIA:{SECRET}/x@b/k", "AWS_PROFILE"),
    (f"pg://u:{SECRET}@h/d", "PGPASSWORD"),
    (f"pg://u:{SECRET}/x@h/d", "PGPASSWORD"),
    (f"pg://u:{SECRET}@x@h/d", "PGPASSWORD"),
    (f"pg://u:x/{SECRET}@h/d", "PGPASSWORD"),
    (f"pg://h/d?password={SECRET}", "PG_CONN_STR"),
    (f"pg://h/d?sslpassword={SECRET}", "PG_CONN_STR"),
    (f"postgres://u:{SECRET}@h/d", "pg://HOST:PORT"),
    (f"https://u:{SECRET}@h/s", "TF_HTTP_PASSWORD"),
    (f"https://{SECRET}@h/s", "TF_HTTP_PASSWORD"),
    (f"https://u:{SECRET}/x@h/s", "TF_HTTP_PASSWORD"),
    (f"https://h/s?password={SECRET}", "TF_HTTP_PASSWORD"),
    (f"https://h/s?client_private_key_pem={SECRET}", "TF_HTTP_CLIENT_PRIVATE_KEY_PEM"),
    (f"https://h/s?headers={{a={SECRET}}}", "--backend-config"),
    (f"https://h/s?lock_address=https://u:{SECRET}%40h/l", "--backend-config"),
    (f"gs://u:{SECRET}@b/k", "tofu state pull"),
]


@each_row(("url", "way_out"), WITH_SECRETS)
def test_a_secret_is_refused_and_not_shown(url: str, way_out: str) -> None:
    with pytest.raises(StoreError) as caught:
        current_state(run_context(), url)
    assert way_out in caught.value.on_command_line
    texts = [str(caught.value), caught.value.on_command_line, repr(caught.value), str(caught.value.location)]
    assert not [text for text in [*texts, url_without_values(url)] if SECRET in text]
    cause: BaseException | None = caught.value
    while cause is not None:
        assert SECRET not in repr(cause)
        cause = cause.__cause__ or cause.__context__


def test_what_the_location_of_a_folder_says_is_a_url_of_the_same_state(tmp_path: Path) -> None:
    folders = {
        'backend "s3" {\n bucket = "b"\n key = "a b/%41?.tfstate"\n region = "eu-west-1"\n}': {},
        'backend "s3" {\n bucket = "b"\n key = "app"\n workspace_key_prefix = "w s"\n}': {"TF_WORKSPACE": "dev"},
        'backend "pg" {\n conn_str = "postgres://u@db:5433/my%2Fdb"\n schema_name = "a b"\n}': {"TF_WORKSPACE": "dev"},
        'backend "pg" {\n table_name = "t"\n}': {"PGHOST": "/run/pg", "PGDATABASE": "d"},
        'backend "http" {\n address = "https://h:8/a/b"\n}': {},
    }
    for block, environment in folders.items():
        (tmp_path / "main.tf").write_text(f"terraform {{\n{block}\n}}\n")
        context = run_context(environment=environment)
        found = found_state(context, str(tmp_path))
        assert found.location is not None
        name = current_state(run_context(), found.location)
        assert isinstance(name, RemoteName)
        assert name == found.location
        for argument in ("bucket", "schema_name", "table_name", "address"):
            assert name.place.values.get(argument) == found.values.get(argument)
        if found.backend.type == "s3":
            keys = {
                "default": found.values["key"],
                "dev": f"{found.values['workspace_key_prefix']}/dev/{found.values['key']}",
            }
            assert name.place.values["key"] == keys[found.backend.workspace.name]


def test_the_environment_gives_what_the_url_does_not(tmp_path: Path) -> None:
    environment = {"AWS_REGION": "eu-north-1", "TF_HTTP_PASSWORD": SECRET, "PG_CONN_STR": f"postgres://u:{SECRET}@h/d"}
    s3 = url_name("s3://b/k", environment)
    assert s3 == "s3://b/k?region=eu-north-1"
    assert url_name("s3://b/k?region=eu-west-1", environment) == "s3://b/k?region=eu-west-1"
    http = url_name("https://h/s", environment)
    assert http is not None
    assert [(one.value, one.secret) for one in http.place.settings if one.name == "password"] == [(SECRET, True)]
    pg = url_name("pg:///?workspace=w", environment)
    assert pg == "pg://h/d?schema=terraform_remote_state&workspace=w"
    assert pg.place.values["conn_str"] == f"postgres://u:{SECRET}@h/d"
    # A password is for the server that it was given with.
    other = url_name("pg://evil.example/d", environment)
    assert other is not None
    assert SECRET not in repr(other.place)


def test_backend_config_adds_settings(tmp_path: Path) -> None:
    (tmp_path / "s.hcl").write_text(f'secret_key = "{SECRET}"\n')
    settings = ("use_lockfile=true", str(tmp_path / "s.hcl"), f"access_key={SECRET}")
    name = url_name("s3://b/k?profile=p", {}, BackendOptions(settings=settings))
    assert name is not None
    assert name.place.values["use_lockfile"] is True
    assert name.place.values["secret_key"] == name.place.values["access_key"] == SECRET
    backend = "--backend-config"
    assert name.words == (
        *("--state", "s3://b/k?profile=p", backend, "use_lockfile=true"),
        *(backend, str(tmp_path / "s.hcl"), backend, "access_key=…"),
    )
    with pytest.raises(StoreError, match="key is a part of the URL"):
        url_name("s3://b/k", {}, BackendOptions(settings=("key=other",)))
    with pytest.raises(StoreError, match="a URL names one state"):
        url_name("s3://b/k", {}, BackendOptions(workspace="dev"))


def test_other_names_are_files(folder: Path) -> None:
    for name in ("foo://bar", "s3:/b/k", "./s3://b/k", "-", "git:HEAD:s3://b/k"):
        assert current_state(run_context(), name) == name
        assert state_words(name) == ("--state", name)


_TEXT: Final = st.text("ab/%?#&=+@: é", min_size=1, max_size=12)


@given(key=_TEXT, schema=_TEXT)
def test_escapes(key: str, schema: str) -> None:
    """Every key and schema has a location, which is a URL of the same state."""
    from urllib.parse import quote

    if not key.startswith("/") and not key.endswith("/"):
        name = url_name(f"s3://b/{quote(key)}", {})
        assert name is not None
        assert name.place.values["key"] == key
        again = url_name(str(name), {})
        assert again is not None
        assert again.place.values["key"] == key
    name = url_name(f"pg://h/d?schema={quote(schema, safe='')}", {})
    assert name is not None
    again = url_name(str(name), {})
    assert again is not None
    assert again.place.values["schema_name"] == name.place.values["schema_name"] == schema


def test_states_with_one_location_are_told_apart() -> None:
    """Each has a history of its own: the endpoint and the query are not in the location."""
    pairs = [
        ("s3://b/k?endpoints.s3=http://one.example", "s3://b/k?endpoints.s3=http://two.example"),
        ("s3://b/k", "s3://b/k?endpoint=http://two.example"),
        ("https://h/s?tenant=a", "https://h/s?tenant=b"),
    ]
    for one, other in pairs:
        names = [url_name(one, {}), url_name(other, {})]
        assert names[0] == names[1]
        assert names[0] is not None
        assert names[1] is not None
        assert names[0].place.identity != names[1].place.identity
    same = [url_name(url, {}) for url in ("s3://b/k", "s3://b/k?use_lockfile=true&profile=p")]
    assert len({name.place.identity for name in same if name is not None}) == 1
