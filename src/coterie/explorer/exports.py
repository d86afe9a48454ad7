"""Files to keep of a result, as `coterie cluster --out` writes them."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie.clustering import Clustering
from coterie.errors import check_choice

if TYPE_CHECKING:
    from starlette.background import BackgroundTask

KINDS = {
    "csv": "documents.csv",
    "parquet": "documents.parquet",
    "json": "clusters.json",
    "page": "report.html",
    "model": "results.zip",
}


@dataclass(frozen=True)
class Exported:
    """A file in a folder of its own, which is removed once the file is sent."""

    path: Path
    folder: Path

    def removal(self) -> "BackgroundTask":
        """What removes the folder afterwards."""
        from starlette.background import BackgroundTask

        return BackgroundTask(shutil.rmtree, self.folder, ignore_errors=True)


def export(result: Clustering, kind: str) -> Exported:
    """Write a file: documents as CSV or Parquet, clusters as JSON, the page, or all.

    "model" is the whole folder of results in one archive, edits included, for
    `coterie assign` and `coterie.load`.
    """
    check_choice("export", kind, tuple(KINDS))
    folder = Path(tempfile.mkdtemp(prefix="coterie-export-"))
    try:
        return Exported(_written(result, kind, folder), folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _written(result: Clustering, kind: str, folder: Path) -> Path:
    from coterie.report.tables import write_clusters, write_csv, write_parquet

    file = folder / KINDS[kind]
    if kind == "csv":
        write_csv(file, result.document_table(texts=False), raw=result.about.raw_csv)
    elif kind == "parquet":
        write_parquet(file, result.document_table(texts=True))
    elif kind == "json":
        write_clusters(file, result.summary)
    else:
        saved: Any = result.copy().save(folder / "results")
        if kind == "page":
            return Path((saved / KINDS["page"]).rename(file))
        shutil.make_archive(str(file.with_suffix("")), "zip", folder, "results")
    return file
