"""The clients of the services for one state, made when they are used."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError

from statefmt.model.errors import StoreError
from statefmt.store.backends.place import StatePlace
from statefmt.store.remote.connection import Connection
from statefmt.store.s3._accounts import check_account
from statefmt.store.s3._credentials import credentials_of
from statefmt.store.s3._errors import problem_of, refusal
from statefmt.store.s3._requests import Requests
from statefmt.store.s3._session import EnvironmentSession
from statefmt.store.s3._settings import Given, s3_settings

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_s3 import S3Client as Boto3S3


class Services:
    """Clients of S3 and DynamoDB, with the credentials of a place. Not frozen: it keeps what it has made."""

    def __init__(self, place: StatePlace, connection: Connection) -> None:
        self._place = place
        self._connection = connection
        self._given = Given.of(place)
        self._made: list[Any] = []
        self.settings = s3_settings(place)

    @cached_property
    def s3(self) -> Boto3S3:
        """The client of S3. Raises StoreError."""
        client: Boto3S3 = self._client("s3")
        return client

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        """The client of DynamoDB. Raises StoreError."""
        client: DynamoDBClient = self._client("dynamodb")
        return client

    def requests(self, client: Any) -> Requests:
        """Return what sends the requests of a client."""
        return Requests(
            self._place.location,
            urlsplit(client.meta.endpoint_url).netloc,
            self.settings.most_retries,
            self._connection.options.debug,
        )

    def close(self) -> None:
        """Close the connections."""
        for client in self._made:
            client.close()

    @cached_property
    def _session(self) -> EnvironmentSession:
        session = EnvironmentSession(self._given, self._connection)
        try:
            session.prepare()
            credentials = credentials_of(session, self._given, self._connection)
            # Roles are assumed, and tokens refreshed, before the first request: an error says then what it is about.
            credentials.get_frozen_credentials()
            session.use(credentials)
            check_account(session, self._given)
        except ClientError as error:
            raise refusal(self._place.location, "STS", error) from None
        except BotoCoreError as error:
            raise StoreError(f"{self._place.location}: {problem_of(error, 'AWS')}") from None
        return session

    def _client(self, service: str) -> Any:
        session = self._session
        try:
            client = session.create_client(service)
        except (BotoCoreError, ValueError) as error:
            raise StoreError(f"{self._place.location}: {problem_of(error, service)}") from None
        self._made.append(client)
        return client
