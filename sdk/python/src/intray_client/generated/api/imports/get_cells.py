from http import HTTPStatus
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.lineage import Lineage
from ...types import UNSET, Response, Unset


def _get_kwargs(
    id: UUID,
    *,
    row: int,
    field: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["row"] = row

    params["field"] = field

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/headless/imports/{id}/cells/".format(
            id=quote(str(id), safe=""),
        ),
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Lineage | None:
    if response.status_code == 200:
        response_200 = Lineage.from_dict(response.json())

        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Lineage]:
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
    row: int,
    field: str | Unset = UNSET,
) -> Response[Lineage]:
    """Explain the values of a row (lineage)

     409 if the import has no rows yet.

    Args:
        id (UUID):
        row (int):
        field (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Lineage]
    """

    kwargs = _get_kwargs(
        id=id,
        row=row,
        field=field,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    id: UUID,
    *,
    client: AuthenticatedClient,
    row: int,
    field: str | Unset = UNSET,
) -> Lineage | None:
    """Explain the values of a row (lineage)

     409 if the import has no rows yet.

    Args:
        id (UUID):
        row (int):
        field (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Lineage
    """

    return sync_detailed(
        id=id,
        client=client,
        row=row,
        field=field,
    ).parsed


async def asyncio_detailed(
    id: UUID,
    *,
    client: AuthenticatedClient,
    row: int,
    field: str | Unset = UNSET,
) -> Response[Lineage]:
    """Explain the values of a row (lineage)

     409 if the import has no rows yet.

    Args:
        id (UUID):
        row (int):
        field (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Lineage]
    """

    kwargs = _get_kwargs(
        id=id,
        row=row,
        field=field,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    id: UUID,
    *,
    client: AuthenticatedClient,
    row: int,
    field: str | Unset = UNSET,
) -> Lineage | None:
    """Explain the values of a row (lineage)

     409 if the import has no rows yet.

    Args:
        id (UUID):
        row (int):
        field (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Lineage
    """

    return (
        await asyncio_detailed(
            id=id,
            client=client,
            row=row,
            field=field,
        )
    ).parsed
