from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.lexicon import Lexicon
from ...types import UNSET, Response


def _get_kwargs(
    *,
    import_identifier: str,
) -> dict[str, Any]:

    params: dict[str, Any] = {}

    params["import_identifier"] = import_identifier

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "get",
        "url": "/api/v1/headless/memory/lexicon/",
        "params": params,
    }

    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Lexicon | None:
    if response.status_code == 200:
        response_200 = Lexicon.from_dict(response.json())

        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Lexicon]:
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
) -> Response[Lexicon]:
    """Export learned mappings as a lexicon

    Args:
        import_identifier (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Lexicon]
    """

    kwargs = _get_kwargs(
        import_identifier=import_identifier,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    import_identifier: str,
) -> Lexicon | None:
    """Export learned mappings as a lexicon

    Args:
        import_identifier (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Lexicon
    """

    return sync_detailed(
        client=client,
        import_identifier=import_identifier,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    import_identifier: str,
) -> Response[Lexicon]:
    """Export learned mappings as a lexicon

    Args:
        import_identifier (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Lexicon]
    """

    kwargs = _get_kwargs(
        import_identifier=import_identifier,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    import_identifier: str,
) -> Lexicon | None:
    """Export learned mappings as a lexicon

    Args:
        import_identifier (str):

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Lexicon
    """

    return (
        await asyncio_detailed(
            client=client,
            import_identifier=import_identifier,
        )
    ).parsed
