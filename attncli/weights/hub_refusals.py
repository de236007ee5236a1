"""Why the Hub refuses a file, by the status of its answer, and what to do."""

import re
from typing import Any

from attncli.errors import AttncliError


def refusal(
    endpoint: str, name: str, revision: str, status: int, headers: Any, *, has_token: bool
) -> AttncliError:
    """Why the Hub does not give a file, and what to do."""
    code = headers.get("X-Error-Code")
    if code == "GatedRepo":
        return AttncliError(
            "{name} is gated: accept its license on {page} with the account that HF_TOKEN (or "
            "the login of hf) belongs to"
            if has_token
            else "{name} is gated: accept its license on {page}, and set HF_TOKEN or log in "
            "with hf",
            name=name,
            page=f"{endpoint}/{name}",
        )
    if code == "RevisionNotFound":
        return AttncliError(
            "{name} has no revision {revision} on the Hub: give a branch, a tag or a commit",
            name=name,
            revision=revision,
        )
    if status == 401 and has_token:
        return AttncliError(
            "{name} cannot be downloaded, the Hub does not accept the token: check the name "
            "and HF_TOKEN, or log in again with hf",
            name=name,
        )
    if status in (401, 404):
        return AttncliError(
            "{name} is no file or folder here, not in the local cache, and no public model on "
            "the Hub: check the name; for a private one set HF_TOKEN or log in with hf",
            name=name,
        )
    return _failure(endpoint, name, status, headers.get("Retry-After") or "")


def _failure(endpoint: str, name: str, status: int, wait: str) -> AttncliError:
    """What a status means that is not about the model."""
    if status == 403:
        return AttncliError(
            "{name} cannot be downloaded, the Hub forbids it: set HF_TOKEN or log in with hf "
            "with an account that may",
            name=name,
        )
    if status == 429:
        return AttncliError(
            "{name} cannot be downloaded, the Hub got too many requests: try again in {wait} "
            "seconds"
            if re.fullmatch("[0-9]{1,9}", wait)
            else "{name} cannot be downloaded, the Hub got too many requests: try again later",
            name=name,
            wait=wait,
        )
    return AttncliError(
        "{name} cannot be downloaded, {endpoint} answers with status {status}: try again later"
        if status >= 500
        else "{name} cannot be downloaded, {endpoint} answers with status {status}: check "
        "HF_ENDPOINT",
        name=name,
        endpoint=endpoint,
        status=status,
    )
