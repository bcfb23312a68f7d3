from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.uploads import Uploads
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    start: int | Unset = UNSET,
    end: int | Unset = UNSET,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["start"] = start

    params["end"] = end

    params["start_date"] = start_date

    params["end_date"] = end_date

    params["cursor"] = cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/uploads/",
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Uploads | None:
    if response.status_code == 200:
        response_200 = Uploads.from_dict(response.json())

        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Uploads]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    start: int | Unset = UNSET,
    end: int | Unset = UNSET,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> Response[Uploads]:
    """List processed uploads, newest first

    Args:
        start (int | Unset):
        end (int | Unset):
        start_date (str | Unset):
        end_date (str | Unset):
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Uploads]
    """

    kwargs = _get_kwargs(
        start=start,
        end=end,
        start_date=start_date,
        end_date=end_date,
        cursor=cursor,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    start: int | Unset = UNSET,
    end: int | Unset = UNSET,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> Uploads | None:
    """List processed uploads, newest first

    Args:
        start (int | Unset):
        end (int | Unset):
        start_date (str | Unset):
        end_date (str | Unset):
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Uploads
    """

    return sync_detailed(
        client=client,
        start=start,
        end=end,
        start_date=start_date,
        end_date=end_date,
        cursor=cursor,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    start: int | Unset = UNSET,
    end: int | Unset = UNSET,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> Response[Uploads]:
    """List processed uploads, newest first

    Args:
        start (int | Unset):
        end (int | Unset):
        start_date (str | Unset):
        end_date (str | Unset):
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Uploads]
    """

    kwargs = _get_kwargs(
        start=start,
        end=end,
        start_date=start_date,
        end_date=end_date,
        cursor=cursor,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    start: int | Unset = UNSET,
    end: int | Unset = UNSET,
    start_date: str | Unset = UNSET,
    end_date: str | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> Uploads | None:
    """List processed uploads, newest first

    Args:
        start (int | Unset):
        end (int | Unset):
        start_date (str | Unset):
        end_date (str | Unset):
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Uploads
    """

    return (
        await asyncio_detailed(
            client=client,
            start=start,
            end=end,
            start_date=start_date,
            end_date=end_date,
            cursor=cursor,
        )
    ).parsed
