from http import HTTPStatus
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.sftp_credential import SftpCredential
from ...models.sftp_credential_draft import SftpCredentialDraft
from ...types import Response


def _get_kwargs(
    id: UUID,
    *,
    body: SftpCredentialDraft,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/api/v1/headless/sftp/credentials/{id}/".format(
            id=quote(str(id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> SftpCredential | None:
    if response.status_code == 200:
        response_200 = SftpCredential.from_dict(response.json())

        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[SftpCredential]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    id: UUID,
    *,
    client: AuthenticatedClient,
    body: SftpCredentialDraft,
) -> Response[SftpCredential]:
    """Replace an SFTP credential

     If the secret is missing or empty, the stored one is kept.

    Args:
        id (UUID):
        body (SftpCredentialDraft): A login for an SFTP server.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SftpCredential]
    """

    kwargs = _get_kwargs(
        id=id,
        body=body,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    id: UUID,
    *,
    client: AuthenticatedClient,
    body: SftpCredentialDraft,
) -> SftpCredential | None:
    """Replace an SFTP credential

     If the secret is missing or empty, the stored one is kept.

    Args:
        id (UUID):
        body (SftpCredentialDraft): A login for an SFTP server.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SftpCredential
    """

    return sync_detailed(
        id=id,
        client=client,
        body=body,
    ).parsed


async def asyncio_detailed(
    id: UUID,
    *,
    client: AuthenticatedClient,
    body: SftpCredentialDraft,
) -> Response[SftpCredential]:
    """Replace an SFTP credential

     If the secret is missing or empty, the stored one is kept.

    Args:
        id (UUID):
        body (SftpCredentialDraft): A login for an SFTP server.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[SftpCredential]
    """

    kwargs = _get_kwargs(
        id=id,
        body=body,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    id: UUID,
    *,
    client: AuthenticatedClient,
    body: SftpCredentialDraft,
) -> SftpCredential | None:
    """Replace an SFTP credential

     If the secret is missing or empty, the stored one is kept.

    Args:
        id (UUID):
        body (SftpCredentialDraft): A login for an SFTP server.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        SftpCredential
    """

    return (
        await asyncio_detailed(
            id=id,
            client=client,
            body=body,
        )
    ).parsed
