"""Real PDF, office and book files: what is read of them, and of 200 damaged variants of each.

    python benchmarks/documents.py [--damaged 200] [--trial]

LibreOffice (Debian's libreoffice-writer, -calc and -impress) and Chromium write the files, from
a text and a table that this script holds; Chromium needs a font with Chinese characters
(fonts-wqy-microhei), without which it prints none. `--trial` times libraries that read PDF
beside each other. A damaged variant is cut off, has bytes replaced, or has a stretch taken out;
each must give text or a reason, within seconds.
"""

import argparse
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from pathlib import Path

from coterie.corpus.limits import Limits
from coterie.corpus.notes import ReadingNotes
from coterie.corpus.readers import documents
from coterie.errors import InputError

SENTENCES = [
    "Green tea grows on hills.", "Čaj, thé, 茶 and шай are words for tea.",
    "Rum is made from sugar cane, and kept in barrels for a long time.",
]  # fmt: skip
PAGE = (
    '<html><head><meta charset="utf-8"><title>Tea and rum</title>'
    '<meta name="author" content="Ann Example"></head><body><h1>Tea and rum</h1>'
    + "".join(f"<p>{each}</p>" for each in SENTENCES)
    + "</body></html>"
)
TABLE = "text,stars\n" + "".join(f'"{each}",{at}\n' for at, each in enumerate(SENTENCES))
SLIDES = (
    '<?xml version="1.0" encoding="UTF-8"?><office:document '
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" '
    'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation">'
    "<office:body><office:presentation>"
    + "".join(
        '<draw:page><draw:frame svg:width="20cm" svg:height="5cm" svg:x="1cm" svg:y="1cm">'
        f"<draw:text-box><text:p>{each}</text:p></draw:text-box></draw:frame></draw:page>"
        for each in SENTENCES
    )
    + "</office:presentation></office:body></office:document>"
)


def written(folder):
    """Files of every kind, each written by a program that people use."""
    (folder / "letter.html").write_text(PAGE)
    (folder / "table.csv").write_text(TABLE)
    (folder / "slides.fodp").write_text(SLIDES)
    convert(folder, "letter.html", "odt:writer8", "--infilter=HTML (StarWriter)")
    for kind in ("docx", "rtf", "epub", "pdf"):
        convert(folder, "letter.odt", kind)
    for kind in ("xlsx", "ods", "xls"):
        convert(folder, "table.csv", kind, "--infilter=CSV:44,34,76")
    for kind in ("pptx", "odp"):
        convert(folder, "slides.fodp", kind)
    chromium = shutil.which("chromium")
    if chromium:
        profile = tempfile.mkdtemp()
        subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={profile}",
             f"--print-to-pdf={folder / 'browser.pdf'}", str(folder / "letter.html")],
            check=False, capture_output=True, timeout=120,
        )  # fmt: skip
    for source in ("letter.html", "table.csv", "slides.fodp"):
        (folder / source).unlink()
    return sorted(folder.iterdir())


def convert(folder, name, kind, *options):
    subprocess.run(
        ["soffice", "--headless", *options, "--convert-to", kind, "--outdir", str(folder),
         str(folder / name)],
        check=False, capture_output=True, timeout=180,
        env=os.environ | {"HOME": str(folder.parent)},
    )  # fmt: skip


def read(path, limits):
    return list(documents(path, notes=ReadingNotes(), limits=limits))


def damaged(data, rng):
    how = rng.randrange(3)
    at = rng.randrange(len(data))
    if how == 0:
        return data[:at]
    if how == 1:
        changed = bytearray(data)
        for _ in range(rng.choice([1, 10, 100])):
            changed[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(changed)
    return data[:at] + data[at + rng.randrange(1, 2000) :]


def damage(path, number, folder):
    """Outcomes of damaged variants, and the most seconds that one took."""
    data, rng = path.read_bytes(), random.Random(path.name)
    outcomes, slowest = Counter(), 0.0
    for _ in range(number):
        variant = folder / f"variant{path.suffix}"
        variant.write_bytes(damaged(data, rng))
        started = time.perf_counter()
        try:
            read(variant, Limits(seconds=20))
            outcomes["text"] += 1
        except InputError as error:
            reason = str(error).partition(": ")[2]
            outcomes["reason" if reason else "NO REASON"] += 1
        slowest = max(slowest, time.perf_counter() - started)
    return dict(outcomes), slowest


def trial(paths):
    import pdfminer.high_level
    import pypdf
    import pypdfium2

    def by_pdfium(path):
        file = pypdfium2.PdfDocument(path)
        return "\n".join(file[at].get_textpage().get_text_range() for at in range(len(file)))

    def by_pypdf(path):
        return "\n".join(page.extract_text() for page in pypdf.PdfReader(path).pages)

    readers = {
        "pypdfium2": by_pdfium, "pypdf": by_pypdf, "pdfminer": pdfminer.high_level.extract_text,
    }  # fmt: skip
    for path in (path for path in paths if path.suffix == ".pdf"):
        for name, function in readers.items():
            function(str(path))
            started = time.process_time()
            for _ in range(5):
                text = function(str(path))
            seconds = (time.process_time() - started) / 5
            found = sum(each in " ".join(text.split()) for each in SENTENCES)
            print(f"{path.name}: {name} {1000 * seconds:.1f} ms, {found} of {len(SENTENCES)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--damaged", type=int, default=200)
    parser.add_argument("--trial", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "real")
        folder.mkdir()
        paths = written(folder)
        if chosen.trial:
            trial(paths)
        print("| file | sentences read | title | author | damaged variants | slowest |")
        print("|---|---|---|---|---|---|")
        for path in paths:
            found = read(path, Limits())
            text = " ".join(" ".join(each.text for each in found).split())
            right = sum(each in text for each in SENTENCES)
            author = found[0].columns.get("author", "")
            outcomes, slowest = damage(path, chosen.damaged, Path(name))
            title = found[0].title[:20]
            print(f"| {path.name} | {right} of {len(SENTENCES)} | {title} | {author} "
                  f"| {outcomes} | {slowest:.1f} s |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
