from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.learned_mapping_page import LearnedMappingPage
from ...types import UNSET, Response, Unset


def _get_kwargs(
    *,
    import_identifier: str,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["import_identifier"] = import_identifier

    params["offset"] = offset

    params["limit"] = limit

    params["cursor"] = cursor

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/headless/memory/",
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> LearnedMappingPage | None:
    if response.status_code == 200:
        response_200 = LearnedMappingPage.from_dict(response.json())

        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[LearnedMappingPage]:
    return Response(
        status_code=HTTPStatus(response.status_code),
        content=response.content,
        headers=response.headers,
        parsed=_parse_response(client=client, response=response),
    )


def sync_detailed(
    *,
    client: AuthenticatedClient,
    import_identifier: str,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> Response[LearnedMappingPage]:
    """List learned mappings, newest first

     Decisions of people, such as which column feeds a field and which value a text means. Intray
    suggests them for later imports with the same importIdentifier.

    Args:
        import_identifier (str):
        offset (int | Unset):
        limit (int | Unset):
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[LearnedMappingPage]
    """

    kwargs = _get_kwargs(
        import_identifier=import_identifier,
        offset=offset,
        limit=limit,
        cursor=cursor,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    import_identifier: str,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> LearnedMappingPage | None:
    """List learned mappings, newest first

     Decisions of people, such as which column feeds a field and which value a text means. Intray
    suggests them for later imports with the same importIdentifier.

    Args:
        import_identifier (str):
        offset (int | Unset):
        limit (int | Unset):
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        LearnedMappingPage
    """

    return sync_detailed(
        client=client,
        import_identifier=import_identifier,
        offset=offset,
        limit=limit,
        cursor=cursor,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    import_identifier: str,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> Response[LearnedMappingPage]:
    """List learned mappings, newest first

     Decisions of people, such as which column feeds a field and which value a text means. Intray
    suggests them for later imports with the same importIdentifier.

    Args:
        import_identifier (str):
        offset (int | Unset):
        limit (int | Unset):
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[LearnedMappingPage]
    """

    kwargs = _get_kwargs(
        import_identifier=import_identifier,
        offset=offset,
        limit=limit,
        cursor=cursor,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    import_identifier: str,
    offset: int | Unset = UNSET,
    limit: int | Unset = UNSET,
    cursor: str | Unset = UNSET,
) -> LearnedMappingPage | None:
    """List learned mappings, newest first

     Decisions of people, such as which column feeds a field and which value a text means. Intray
    suggests them for later imports with the same importIdentifier.

    Args:
        import_identifier (str):
        offset (int | Unset):
        limit (int | Unset):
        cursor (str | Unset):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        LearnedMappingPage
    """

    return (
        await asyncio_detailed(
            client=client,
            import_identifier=import_identifier,
            offset=offset,
            limit=limit,
            cursor=cursor,
        )
    ).parsed
