"""PDF, RTF and a workbook are read."""

from pathlib import Path

import coterie

STREAM = b"BT /F1 12 Tf 20 100 Td (comets and planets) Tj ET"
OBJECTS = [
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents 4 0 R"
    b"/Resources<</Font<</F1 5 0 R>>>>>>",
    b"<</Length %d>>stream\n%s\nendstream" % (len(STREAM), STREAM),
    b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
]

folder = Path("files")
folder.mkdir()
(folder / "a.rtf").write_text(r"{\rtf1\ansi Bread and butter\par from the oven}")
pdf, places = b"%PDF-1.4\n", []
for number, each in enumerate(OBJECTS, 1):
    places.append(len(pdf))
    pdf += b"%d 0 obj%sendobj\n" % (number, each)
table = b"".join(b"%010d 00000 n \n" % each for each in places)
start = len(pdf)
pdf += b"xref\n0 6\n0000000000 65535 f \n" + table
pdf += b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % start
(folder / "b.pdf").write_bytes(pdf)

corpus = coterie.read(folder, options=coterie.TextOptions(language="en", min_df=1))
assert len(corpus) == 2, corpus.notes
assert {"bread", "comets"} <= {*map(str.lower, corpus.words)}, corpus.words
