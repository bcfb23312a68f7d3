from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.sftp_connector import SftpConnector
from ...models.sftp_connector_draft import SftpConnectorDraft
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: SftpConnectorDraft,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/headless/sftp/connectors/",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> SftpConnector | None:
    if response.status_code == 201:
        response_201 = SftpConnector.from_dict(response.json())

        return response_201

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[SftpConnector]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: SftpConnectorDraft,
    idempotency_key: str | Unset = UNSET,
) -> Response[SftpConnector]:
    """Create a connector that fetches files from an SFTP server

     The connector fetches each new file once, when it has not changed for a minute, and creates an
    import with the schema. It never changes the files on the server.

    Args:
        idempotency_key (str | Unset):
        body (SftpConnectorDraft): A connector to create, or what replaces it.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SftpConnector]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: SftpConnectorDraft,
    idempotency_key: str | Unset = UNSET,
) -> SftpConnector | None:
    """Create a connector that fetches files from an SFTP server

     The connector fetches each new file once, when it has not changed for a minute, and creates an
    import with the schema. It never changes the files on the server.

    Args:
        idempotency_key (str | Unset):
        body (SftpConnectorDraft): A connector to create, or what replaces it.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SftpConnector
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: SftpConnectorDraft,
    idempotency_key: str | Unset = UNSET,
) -> Response[SftpConnector]:
    """Create a connector that fetches files from an SFTP server

     The connector fetches each new file once, when it has not changed for a minute, and creates an
    import with the schema. It never changes the files on the server.

    Args:
        idempotency_key (str | Unset):
        body (SftpConnectorDraft): A connector to create, or what replaces it.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SftpConnector]
    """

    kwargs = _get_kwargs(
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: SftpConnectorDraft,
    idempotency_key: str | Unset = UNSET,
) -> SftpConnector | None:
    """Create a connector that fetches files from an SFTP server

     The connector fetches each new file once, when it has not changed for a minute, and creates an
    import with the schema. It never changes the files on the server.

    Args:
        idempotency_key (str | Unset):
        body (SftpConnectorDraft): A connector to create, or what replaces it.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SftpConnector
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
