"""The errors of reading packed content."""

import lzma
import tarfile
import zipfile
import zlib

import zstandard

UNREADABLE = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    zstandard.ZstdError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
)
"""What tarfile, zipfile and zstandard raise on damaged, encrypted or unknown content."""
