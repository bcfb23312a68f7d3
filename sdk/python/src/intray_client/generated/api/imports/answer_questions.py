from http import HTTPStatus
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx

from ... import errors
from ...client import AuthenticatedClient, Client
from ...models.answers_request import AnswersRequest
from ...models.questions import Questions
from ...types import UNSET, Response, Unset


def _get_kwargs(
    id: UUID,
    *,
    body: AnswersRequest,
    idempotency_key: str | Unset = UNSET,
) -> dict[str, Any]:
    headers: dict[str, Any] = {}
    if not isinstance(idempotency_key, Unset):
        headers["Idempotency-Key"] = idempotency_key

    _kwargs: dict[str, Any] = {
        "method": "post",
        "url": "/api/v1/headless/imports/{id}/questions/".format(
            id=quote(str(id), safe=""),
        ),
    }

    _kwargs["json"] = body.to_dict()

    headers["Content-Type"] = "application/json"

    _kwargs["headers"] = headers
    return _kwargs


def _parse_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Questions | None:
    if response.status_code == 200:
        response_200 = Questions.from_dict(response.json())

        return response_200

    if client.raise_on_unexpected_status:
        raise errors.UnexpectedStatus(response.status_code, response.content)
    else:
        return None


def _build_response(*, client: AuthenticatedClient | Client, response: httpx.Response) -> Response[Questions]:
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
    body: AnswersRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Questions]:
    """Answer questions about an import

     Once all open questions have an answer, the import is PENDING and runs again from its stored file.
    409 unless it is NEEDS_REVIEW.

    Args:
        id (UUID):
        idempotency_key (str | Unset):
        body (AnswersRequest): Answers to questions.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Questions]
    """

    kwargs = _get_kwargs(
        id=id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = client.get_httpx_client().request(
        **kwargs,
    )

    return _build_response(client=client, response=response)


def sync(
    id: UUID,
    *,
    client: AuthenticatedClient,
    body: AnswersRequest,
    idempotency_key: str | Unset = UNSET,
) -> Questions | None:
    """Answer questions about an import

     Once all open questions have an answer, the import is PENDING and runs again from its stored file.
    409 unless it is NEEDS_REVIEW.

    Args:
        id (UUID):
        idempotency_key (str | Unset):
        body (AnswersRequest): Answers to questions.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Questions
    """

    return sync_detailed(
        id=id,
        client=client,
        body=body,
        idempotency_key=idempotency_key,
    ).parsed


async def asyncio_detailed(
    id: UUID,
    *,
    client: AuthenticatedClient,
    body: AnswersRequest,
    idempotency_key: str | Unset = UNSET,
) -> Response[Questions]:
    """Answer questions about an import

     Once all open questions have an answer, the import is PENDING and runs again from its stored file.
    409 unless it is NEEDS_REVIEW.

    Args:
        id (UUID):
        idempotency_key (str | Unset):
        body (AnswersRequest): Answers to questions.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Response[Questions]
    """

    kwargs = _get_kwargs(
        id=id,
        body=body,
        idempotency_key=idempotency_key,
    )

    response = await client.get_async_httpx_client().request(**kwargs)

    return _build_response(client=client, response=response)


async def asyncio(
    id: UUID,
    *,
    client: AuthenticatedClient,
    body: AnswersRequest,
    idempotency_key: str | Unset = UNSET,
) -> Questions | None:
    """Answer questions about an import

     Once all open questions have an answer, the import is PENDING and runs again from its stored file.
    409 unless it is NEEDS_REVIEW.

    Args:
        id (UUID):
        idempotency_key (str | Unset):
        body (AnswersRequest): Answers to questions.

    Raises:
        errors.UnexpectedStatus: If the server returns an undocumented status code and Client.raise_on_unexpected_status is True.
        httpx.TimeoutException: If the request takes longer than Client.timeout.

    Returns:
        Questions
    """

    return (
        await asyncio_detailed(
            id=id,
            client=client,
            body=body,
            idempotency_key=idempotency_key,
        )
    ).parsed
