"""Vectors of texts, kept on disk by the content of the text: a file for each model.

The file holds digests of texts, never the texts. It may be deleted at any time. A vector whose
checksum is wrong counts as missing, and a damaged file begins anew. Where the disk cannot be
written, nothing is kept.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from coterie.types import Array

AT_ONCE = 500  # keys of one question
PATIENCE = 30  # seconds that another process may write
TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB, checksum BLOB)"


def default_folder() -> Path:
    """The folder of vectors in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path("coterie") / "vectors"


class VectorCache:
    """Vectors by the digest of their text.

    Examples
    --------
    >>> import tempfile
    >>> cache = VectorCache(Path(tempfile.mkdtemp()) / "model.sqlite")
    >>> cache.write({b"red": np.array([1.0, 2.0], dtype=np.float32)})
    >>> cache.read([b"red", b"green"])
    {b'red': array([1., 2.], dtype=float32)}
    """

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self, keys: Sequence[bytes]) -> dict[bytes, Array]:
        """The vectors that are known, of those asked for."""
        found: dict[bytes, Array] = {}

        def look(connection: sqlite3.Connection) -> None:
            for start in range(0, len(keys), AT_ONCE):
                some = keys[start : start + AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = connection.execute(
                    f"SELECT key, vector, checksum FROM vectors WHERE key IN ({marks})", some
                )
                for key, vector, checksum in rows:
                    if _is_whole(key, vector, checksum):
                        found[key] = np.frombuffer(vector, dtype="<f4").astype(np.float32)

        if self.file.is_file():
            self._do(look)
        widths = {len(vector) for vector in found.values()}
        return found if len(widths) == 1 else {}

    def write(self, vectors: Mapping[bytes, Array]) -> None:
        """Keep vectors, in place of those of the same texts."""
        rows = [(key, each.astype("<f4").tobytes()) for key, each in vectors.items()]
        summed = [(key, vector, _checksum(key, vector)) for key, vector in rows]

        def put(connection: sqlite3.Connection) -> None:
            with connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", summed
                )

        self._do(put)

    def _do(self, action: Callable[[sqlite3.Connection], None], again: bool = True) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(sqlite3.connect(self.file, timeout=PATIENCE)) as connection:
                connection.execute(TABLE)
                action(connection)
        except (OSError, sqlite3.OperationalError):
            return  # a full or read-only disk: it works without
        except sqlite3.DatabaseError:  # not a database, or a damaged one
            self.file.unlink(missing_ok=True)
            if again:
                self._do(action, again=False)


def _is_whole(key: object, vector: object, checksum: object) -> bool:
    if not (isinstance(key, bytes) and isinstance(vector, bytes)):
        return False
    return bool(vector) and len(vector) % 4 == 0 and checksum == _checksum(key, vector)


def _checksum(key: bytes, vector: bytes) -> bytes:
    return hashlib.blake2b(key + vector, digest_size=8).digest()
