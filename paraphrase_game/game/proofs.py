"""Proof that requests and answers come from processes that know one secret: HMAC (RFC 2104) with SHA-256."""

import hmac
import re

NONCE, PROOF = "X-Parade-Nonce", "X-Parade-Proof"
NUMBER = re.compile("[0-9a-f]{32}")


def prove(key: bytes, kind: str, nonce: str, place: str, body: bytes) -> str:
    """64 hexadecimal digits that only those who know `key` can compute.

    `kind`: `request` or `answer`. `nonce`: 32 hexadecimal digits, new for each request and the same in its answer.
    `place`: method, host with port, and path, so that no answer of another server counts.
    """
    return hmac.new(key, f"{kind}\n{nonce}\n{place}\n".encode() + body, "sha256").hexdigest()


def is_proven(key: bytes, proof: str, nonce: str, place: str, body: bytes) -> bool:
    """Whether this is the proof of a request."""
    expected = prove(key, "request", nonce, place, body)
    return NUMBER.fullmatch(nonce) is not None and hmac.compare_digest(proof.encode(), expected.encode())
