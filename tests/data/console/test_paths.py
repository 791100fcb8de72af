"""Addresses of stores: which are taken, and what an error shows of the others."""

from pathlib import Path

import pytest

from data.console.errors import InputError
from data.console.paths import address, local

SECRETS = (
    "s3://me:secret@bucket/store",
    "s3://me:se/secret@bucket/store",
    "s3://me:se?secret@bucket",
    "s3://bucket/store?X-Amz-Signature=secret",
    "s3://bucket/store?X-Amz-Signature=secret@x",
    "s3://bucket/store#secret",
    "https://bucket/store?sig=secret",
)


@pytest.mark.parametrize("text", SECRETS)
def test_an_address_with_a_secret_is_refused_without_printing_it(text: str) -> None:
    for check in (address, lambda place: local(Path(place))):
        with pytest.raises(InputError, match="found an") as raised:
            check(text)
        assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    "text", ["s3://bucket/../other", "s3://bucket/a/..", "s3://bucket/./a", "s3://..", "s3://../a"]
)
def test_an_address_does_not_climb(text: str) -> None:
    with pytest.raises(InputError, match=f"{text}: expected a folder, or an address"):
        address(text)


@pytest.mark.parametrize(
    "text", ["s3://bucket", "s3://bucket/a.b/..c", "abfss://box@account.dfs.core.windows.net/store", "gs://b/x=1/"]
)
def test_an_address_is_kept_as_it_is(text: str) -> None:
    assert address(text) == text.rstrip("/")
