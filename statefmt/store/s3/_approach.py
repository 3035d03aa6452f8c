"""Names the hosts of services before the first request, and keeps the user's credentials from those of a folder."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from statefmt.model.errors import StoreError
from statefmt.store.remote.connection import Connection
from statefmt.store.remote.trust import approach, is_of_folder
from statefmt.store.s3._settings import Given

_METADATA: Final = "ec2_metadata_service_endpoint"


def approach_service(connection: Connection, given: Given, url: str, argument: str, *, resolves: bool = False) -> None:
    """Name the host of a URL, which the `argument` sets, "" if none does. Raises StoreError as `approach`.

    A proxy that only the folder names counts as a host: with `insecure` or certificates of the folder, it sees all.
    """
    setting = given.by_name.get(argument)
    named_by = setting.place if setting is not None and is_of_folder(setting) else ""
    credentials = _of_user(given)
    approach(connection, urlsplit(url).netloc, named_by=named_by, credentials=credentials, resolves=resolves)
    for name in ("http_proxy", "https_proxy"):
        proxy = given.by_name.get(name)
        if proxy is not None and proxy.value and is_of_folder(proxy):
            where = str(proxy.value)
            host = urlsplit(where if "://" in where else f"http://{where}").netloc.rpartition("@")[2]
            approach(connection, host, named_by=proxy.place, credentials=credentials)


def refuse_endpoint_of_folder(given: Given) -> None:
    """Raise StoreError if only the folder names the metadata service, which gives the credentials of the machine."""
    setting = given.by_name.get(_METADATA)
    if setting is not None and setting.value and is_of_folder(setting):
        raise StoreError(
            f"{setting.place}: {_METADATA} names the service that gives the credentials of this machine, and only this "
            "file names it; nothing was sent. Set AWS_EC2_METADATA_SERVICE_ENDPOINT, or remove the argument"
        )


def _of_user(given: Given) -> str:
    """Return which of the user's credentials are used, as a question names them; "" if the folder has its own."""
    own = [given.by_name.get(name) for name in ("access_key", "secret_key")]
    names = []
    if not all(setting is not None and setting.value and setting.source != "environment" for setting in own):
        names.append("your AWS credentials")
    customer_key = given.by_name.get("sse_customer_key")
    if customer_key is not None and customer_key.source == "environment":
        names.append("AWS_SSE_CUSTOMER_KEY")
    return " and ".join(names)
