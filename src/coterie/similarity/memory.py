"""How much memory a measure takes, computed before any is taken."""

import os
from pathlib import Path

from coterie.errors import InputError

GIB = 1 << 30
SHARE = 0.8  # of the memory that is free, by default


def available_bytes() -> int:
    """Bytes this machine can still give.

    Examples
    --------
    >>> available_bytes() > 0
    True
    """
    meminfo = Path("/proc/meminfo")
    if meminfo.is_file():
        for line in meminfo.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return 4 * GIB


def allowed_bytes(limit: float | None) -> float:
    """Bytes that may be taken: so many GiB, or a share of what is free."""
    return SHARE * available_bytes() if limit is None else limit * GIB


def refuse_too_large(needed: int, limit: float | None, what: str, to_do: str) -> None:
    """Refuse what takes more bytes than `limit` GiB, or than the machine can give.

    Examples
    --------
    >>> refuse_too_large(3 << 30, 2.0, "9 documents x 4 words", "cluster a sample")
    Traceback (most recent call last):
    coterie.errors.InputError: memory_limit=2.0 GiB: similarities of 9 documents x 4 words take 3.0 GiB; cluster a sample
    """  # noqa: E501
    if needed > allowed_bytes(limit):
        raise InputError(
            f"memory_limit={allowed_bytes(limit) / GIB:.1f} GiB: similarities of {what} take "
            f"{needed / GIB:.1f} GiB; {to_do}"
        )
