"""200 files in 20 legacy encodings: how many are read as they were written.

    python benchmarks/encodings.py [--bytes 1500]

Texts are descriptions of Debian packages in the languages of each encoding, from the folder in
COTERIE_DATA; languages that these files lack come from the translated messages of installed
programs (/usr/share/locale), where there are some. A file is right if all its text is.
"""

import argparse
import gettext
import json
import lzma
import os
from collections import Counter
from pathlib import Path

from coterie.corpus.encodings import decode

ENCODINGS = {
    "cp1251": "ru", "koi8-r": "ru", "iso8859-5": "ru", "cp866": "ru", "mac-cyrillic": "ru",
    "shift_jis": "ja", "euc-jp": "ja", "iso2022-jp": "ja", "gb18030": "zh", "gbk": "zh",
    "big5": "zh_TW", "euc-kr": "ko", "cp949": "ko", "cp1252": "de", "iso8859-1": "fr",
    "iso8859-15": "es", "cp1250": "pl", "iso8859-2": "cs", "cp1253": "el", "cp1254": "tr",
}  # fmt: skip
FILES = 10  # of each


def described(language):
    data = Path(os.environ["COTERIE_DATA"])
    if language in ("de", "fr", "es"):
        with lzma.open(data / "debian-desc-en-de-fr-it-es.jsonl.xz", "rt") as lines:
            return [json.loads(line)[language] for line in lines]
    with lzma.open(data / "debian-desc-ja-zh-ko-ru.jsonl.xz", "rt") as lines:
        rows = map(json.loads, lines)
        return [row["text"] for row in rows if row["language"] == language]


def translated(language):
    """Long messages of installed programs in a language."""
    found = []
    for file in sorted(Path("/usr/share/locale", language, "LC_MESSAGES").glob("*.mo")):
        with file.open("rb") as stream:
            try:
                catalogue = gettext.GNUTranslations(stream)._catalog
            except (OSError, UnicodeDecodeError):
                continue
        found += [text for text in catalogue.values() if len(text) > 60 and not text.isascii()]
    return sorted(set(found), key=lambda text: hash_of(text))


def hash_of(text):
    return sum((at + 1) * ord(sign) for at, sign in enumerate(text)) % 10007


def encodable(text, encoding):
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return not text.isascii()


def files(encoding, language, size):
    texts = translated(language) if language in ("pl", "cs", "el", "tr", "zh_TW") else \
        described(language)  # fmt: skip
    usable = [text for text in texts if encodable(text, encoding)]
    made, current = [], ""
    for text in usable:
        current += text + "\n"
        if len(current.encode(encoding)) >= size:
            made.append(current)
            current = ""
        if len(made) == FILES:
            break
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bytes", type=int, default=1500)
    size = parser.parse_args().bytes
    total = right = 0
    for encoding, language in ENCODINGS.items():
        made = files(encoding, language, size)
        read = [(text, decode(text.encode(encoding))) for text in made]
        good = sum(text == decoded.text for text, decoded in read)
        total, right = total + len(made), right + good
        guesses = dict(Counter(decoded.encoding for _, decoded in read).most_common(4))
        print(f"{encoding:13} {language:6} {good:2} of {len(made):2} right  {guesses}")
    print(f"{right} of {total} right, {100 * right / max(1, total):.1f} %")


if __name__ == "__main__":
    main()
