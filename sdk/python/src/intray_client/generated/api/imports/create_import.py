from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.import_ import Import
from ...models.import_draft import ImportDraft
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    body: ImportDraft,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/headless/imports/",
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Import | None:
    if response.status_code == 201:
        response_201 = Import.from_dict(response.json())

        return response_201

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Import]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    body: ImportDraft,
    idempotency_key: str | Unset = UNSET,
) -> Response[Import]:
    """Create an import

     Settings and hooks in the request override those of the saved schema, key by key, for this import
    only.

    Args:
        idempotency_key (str | Unset):
        body (ImportDraft): An import to create. Exactly one of schema_id and fields must be sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Import]
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
    body: ImportDraft,
    idempotency_key: str | Unset = UNSET,
) -> Import | None:
    """Create an import

     Settings and hooks in the request override those of the saved schema, key by key, for this import
    only.

    Args:
        idempotency_key (str | Unset):
        body (ImportDraft): An import to create. Exactly one of schema_id and fields must be sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Import
    """

    return sync_detailed(
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: ImportDraft,
    idempotency_key: str | Unset = UNSET,
) -> Response[Import]:
    """Create an import

     Settings and hooks in the request override those of the saved schema, key by key, for this import
    only.

    Args:
        idempotency_key (str | Unset):
        body (ImportDraft): An import to create. Exactly one of schema_id and fields must be sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Import]
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
    body: ImportDraft,
    idempotency_key: str | Unset = UNSET,
) -> Import | None:
    """Create an import

     Settings and hooks in the request override those of the saved schema, key by key, for this import
    only.

    Args:
        idempotency_key (str | Unset):
        body (ImportDraft): An import to create. Exactly one of schema_id and fields must be sent.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Import
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
