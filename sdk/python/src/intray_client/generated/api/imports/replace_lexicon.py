from http import HTTPStatus
from typing import Any

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.lexicon import Lexicon
from ...models.lexicon_draft import LexiconDraft
from ...types import UNSET, Response


def _get_kwargs(
    *,
    body: LexiconDraft,
    import_identifier: str,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}

    params: dict[str, Any] = {}

    params["import_identifier"] = import_identifier

    params = {k: v for k, v in params.items() if v is not UNSET and v is not None}

    _kwargs: dict[str, Any] = {
        "method": "put",
        "url": "/api/v1/headless/memory/lexicon/",
        "params": params,
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
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
    body: LexiconDraft,
    import_identifier: str,
) -> Response[Lexicon]:
    """Replace learned mappings with a lexicon

     Replaces all learned mappings of the identifier. Imports that have started to run still use the
    earlier ones.

    Args:
        import_identifier (str):
        body (LexiconDraft): The learned mappings of an import identifier.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Lexicon]
    """

    kwargs = _get_kwargs(
        body=body,
        import_identifier=import_identifier,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    *,
    client: AuthenticatedClient,
    body: LexiconDraft,
    import_identifier: str,
) -> Lexicon | None:
    """Replace learned mappings with a lexicon

     Replaces all learned mappings of the identifier. Imports that have started to run still use the
    earlier ones.

    Args:
        import_identifier (str):
        body (LexiconDraft): The learned mappings of an import identifier.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Lexicon
    """

    return sync_detailed(
        client=client,
        body=body,
        import_identifier=import_identifier,
    ).parsed


async def asyncio_detailed(
    *,
    client: AuthenticatedClient,
    body: LexiconDraft,
    import_identifier: str,
) -> Response[Lexicon]:
    """Replace learned mappings with a lexicon

     Replaces all learned mappings of the identifier. Imports that have started to run still use the
    earlier ones.

    Args:
        import_identifier (str):
        body (LexiconDraft): The learned mappings of an import identifier.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Lexicon]
    """

    kwargs = _get_kwargs(
        body=body,
        import_identifier=import_identifier,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    *,
    client: AuthenticatedClient,
    body: LexiconDraft,
    import_identifier: str,
) -> Lexicon | None:
    """Replace learned mappings with a lexicon

     Replaces all learned mappings of the identifier. Imports that have started to run still use the
    earlier ones.

    Args:
        import_identifier (str):
        body (LexiconDraft): The learned mappings of an import identifier.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Lexicon
    """

    return (
        await asyncio_detailed(
            client=client,
            body=body,
            import_identifier=import_identifier,
        )
    ).parsed
