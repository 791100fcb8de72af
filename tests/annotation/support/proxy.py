"""The nginx configuration of docs/deployment.md in front of a server."""

import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.campaign import ROOT

PUBLIC = "label.example.org"
"""The name that the documentation uses."""


@contextmanager
def nginx(folder: Path, behind: str, port: int) -> Iterator[Path]:
    """Serve PUBLIC with the block of docs/deployment.md, once it answers; yield its certificate."""
    if not (program := shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")):
        pytest.skip("nginx is missing: expected /usr/sbin/nginx")
    folder.mkdir()
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    request = ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-subj", f"/CN={PUBLIC}", "-days", "1"]
    alias = ["-addext", f"subjectAltName=DNS:{PUBLIC}", "-keyout", key, "-out", certificate]
    subprocess.run([*request, *alias], check=True, capture_output=True)
    block = (ROOT / "docs" / "deployment.md").read_text("utf-8").partition("```nginx\n")[2].partition("```")[0]
    for written, ours in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        (f"/etc/ssl/{PUBLIC}.pem", str(certificate)),
        (f"/etc/ssl/{PUBLIC}.key", str(key)),
        ("http://127.0.0.1:8080", behind),
    ):
        assert block.count(written) == 1, written
        block = block.replace(written, ours)
    user = "user root;" if os.geteuid() == 0 else ""
    folders = "".join(
        f"{name}_temp_path {folder / name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"{user} daemon off; pid {folder / 'pid'}; error_log {folder / 'log'}; events {{}}"
        f" http {{ access_log off; {folders} {block} }}"
    )
    process = subprocess.Popen([program, "-c", folder / "nginx.conf", "-e", folder / "log"])
    try:
        transport = httpx.HTTPTransport(verify=ssl.create_default_context(cafile=certificate), retries=5)
        with httpx.Client(transport=transport) as client:
            client.get(f"https://{PUBLIC}:{port}/health")
        yield certificate
    finally:
        process.terminate()
        process.wait()
