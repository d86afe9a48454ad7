"""How fast JSON lines and CSV are read, beside pandas and Polars reading the same file.

    python benchmarks/reading.py [--rows 30000]

Rows are synopses of Debian packages from the folder in COTERIE_DATA. Times are those of the
processor, the best of five; "read" gives documents with titles and columns, "count" also counts
their words. Modules are imported before the clock starts.
"""

import argparse
import csv
import json
import lzma
import os
import tempfile
import time
from pathlib import Path

import pandas
import polars

import coterie
from coterie.corpus.readers import documents
from coterie.corpus.tables import Columns


def best(function, repeats=5):
    seconds = []
    for _ in range(repeats):
        started = time.process_time()
        function()
        seconds.append(time.process_time() - started)
    return min(seconds)


def files(folder, n_rows):
    source = Path(os.environ["COTERIE_DATA"]) / "debian-synopsis-en.jsonl.xz"
    with lzma.open(source, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for _, line in zip(range(n_rows), lines, strict=False)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "rows.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    return len(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=30_000)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        n_rows = files(folder, parser.parse_args().rows)
        print(f"{n_rows:,} rows: milliseconds of the processor\n")
        print("| file | read | read and count | pandas | Polars |")
        print("|---|---|---|---|---|")
        others = {
            "rows.jsonl": (lambda path: pandas.read_json(path, lines=True), polars.read_ndjson),
            "rows.csv": (pandas.read_csv, polars.read_csv),
        }
        for file, (by_pandas, by_polars) in others.items():
            path = folder / file
            columns = Columns(text=("synopsis",))
            read = best(lambda: sum(1 for _ in documents(path, columns)))  # noqa: B023
            count = best(lambda: coterie.read(path, text="synopsis"))  # noqa: B023
            pandas_seconds = best(lambda: by_pandas(path))  # noqa: B023
            polars_seconds = best(lambda: by_polars(path))  # noqa: B023
            every = (read, count, pandas_seconds, polars_seconds)
            print(f"| {file} | {' | '.join(f'{1000 * each:.0f}' for each in every)} |")


if __name__ == "__main__":
    main()
