"""Numbers of Pessiot, Kim, Amini and Gallinari."""

from coterie_papers.items import Value, values

COLLECTIONS = ("Reuters-21578", "RCV2-French", "20Newsgroups", "WebKB")
SIZES = {  # documents, words
    "Reuters-21578": (4335, 6990),
    "RCV2-French": (None, 34272),
    "20Newsgroups": (16010, 38630),
    "WebKB": (4196, 11170),
}
PROPORTIONS = {  # Table 1, percent
    "Reuters-21578": {"earn": 46.2, "acq": 24.9, "money": 8.4, "crude": 7.0, "grain": 6.5,
                      "trade": 4.8, "interest": 2.4},
    "RCV2-French": {"C15": 16.7, "CCAT": 16.7, "E21": 16.7, "ECAT": 16.7, "GCAT": 16.7,
                    "M11": 16.5},
    "20Newsgroups": {"comp": 30.5, "sci": 24.7, "rec": 20.3, "talk": 19.5, "alt": 5.0},
    "WebKB": {"student": 39.1, "faculty": 26.8, "course": 22.1, "project": 12.0},
}  # fmt: skip
OUR_CLASSES = {"money": "money-fx"}  # names of classes that differ

TERM_CLUSTERS = {  # Table 2
    "20Newsgroups": (
        [
            "wrong",
            "christian",
            "words",
            "christians",
            "truth",
            "meaning",
            "paul",
            "john",
            "bible",
            "word",
            "faith",
            "fact",
            "reason",
            "men",
        ],
        [
            "suicide",
            "suicides",
            "deaths",
            "stat",
            "selfdefense",
            "risks",
            "guns",
            "statstic",
            "accidents",
            "homicides",
            "nejm",
        ],
    ),
    "WebKB": (
        [
            "course",
            "courses",
            "homework",
            "project",
            "projects",
            "umd",
            "class",
            "assignment",
            "due",
            "assignments",
            "exam",
            "fall",
            "berkeley",
            "lecture",
        ],
        [
            "computer",
            "research",
            "systems",
            "cs",
            "science",
            "programming",
            "acm",
            "sciences",
            "engineering",
            "software",
            "system",
            "algorithms",
            "program",
        ],
    ),
}

_CLASSES = """
Reuters-21578 earn     0.77↓ 0.89  0.93  0.84↓
Reuters-21578 acq      0.43↓ 0.65  0.60↓ 0.77
Reuters-21578 money    0.35↓ 0.41  0.26↓ 0.48
Reuters-21578 crude    0.34↓ 0.46  0.57↓ 0.48
Reuters-21578 grain    0.43↓ 0.52  0.13↓ 0.54
Reuters-21578 trade    0     0.37  0     0.22
Reuters-21578 interest 0     0     0     0
Reuters-21578 Average  0.61↓ 0.70  0.61↓ 0.70
RCV2-French   C15      0.38↓ 0.45  0.10↓ 0.31
RCV2-French   CCAT     0.53↓ -     -     0.85
RCV2-French   E21      0.63↓ 0.68  0.43↓ 0.79
RCV2-French   ECAT     0.48  0.43↓ 0.18↓ 0.34
RCV2-French   GCAT     0.40↓ 0.51  0.61↓ 0.71
RCV2-French   M11      0.46↓ 0.65  0.76  0.57↓
RCV2-French   Average  0.48↓ 0.60  0.48↓ 0.60
20Newsgroups  comp     0.62↓ 0.76  0.92  0.87↓
20Newsgroups  sci      0.57↓ 0.78  0.37↓ 0.62
20Newsgroups  rec      0.60↓ 0.67  0.72↓ 0.89
20Newsgroups  talk     0.67↓ 0.84  0.50↓ 0.78
20Newsgroups  alt      0     0     0     0
20Newsgroups  Average  0.62↓ 0.75  0.62↓ 0.75
WebKB         student  0.47↓ 0.72  0.83  0.77↓
WebKB         faculty  0.41↓ 0.55  0.21↓ 0.64
WebKB         course   0.58↓ 0.86  0.36↓ 0.77
WebKB         project  0.37↓ 0.45  0.10↓ 0.29
WebKB         Average  0.48↓ 0.68  0.48↓ 0.68
"""
CLASSES: dict[tuple[str, str], list[Value | None]] = {
    (collection, name): values(numbers)
    for collection, name, numbers in (
        line.split(maxsplit=2) for line in _CLASSES.strip().splitlines()
    )
}
"""Table 3: precision of MM and C-MM, recall of MM and C-MM; two cells cannot be read."""

CONCEPTS = {"Reuters-21578": 10, "RCV2-French": 10, "20Newsgroups": 10, "WebKB": 20}
"""Number of concepts in Table 3, the best for C-MM."""

TIMES = {  # Table 4, seconds
    "Kmeans": (1, 2, 1, 1),
    "NMF": (40, 28 * 60, 5 * 60, 40),
    "MM": (5, 10 * 60, 3 * 60, 20),
    "C-MM": (10, 20 * 60, 7 * 60, 60),
    "P-MM": (10, 5 * 60, 2 * 60, 25),
    "PLSA": (5, 3 * 60, 60, 10),
    "Ext-PLSA": (60, 30 * 60, 11 * 60, 60),
    "LDA": (60, 30 * 60, 15 * 60, 2 * 60),
}
COMPLEXITY = {
    "Kmeans": "K·M", "NMF": "K·n·m", "MM": "K·n·m", "C-MM": "L·m·n", "P-MM": "L·M",
    "PLSA": "K·M", "Ext-PLSA": "K·M·L", "LDA": "K·n·m",
}  # fmt: skip

_BEST = """
Kmeans    0.52↓ 0.20↓  0.27↓ 0.10↓  0.32↓ 0.07↓  0.43↓ 0.08↓
NMF       0.69  0.42   0.28↓ 0.11↓  0.45↓ 0.20↓  0.50↓ 0.20↓
MM        0.61↓ 0.27↓  0.48↓ 0.35↓  0.62↓ 0.36↓  0.48↓ 0.11↓
P-MM      0.68  0.40↓  0.59↓ 0.40↓  0.69↓ 0.40↓  0.60↓ 0.28↓
C-MM      0.70  0.44   0.60  0.40↓  0.75  0.53   0.68  0.32↓
PLSA      0.64↓ 0.38↓  0.60  0.40↓  0.71↓ 0.49↓  0.61↓ 0.28↓
P-PLSA    0.68  0.39↓  0.60  0.39↓  0.69↓ 0.40↓  0.63↓ 0.28↓
C-PLSA    0.69  0.42   0.59↓ 0.39↓  0.71↓ 0.49↓  0.65↓ 0.34↓
Ext-PLSA  0.71  0.42   0.62  0.43   0.77  0.54   0.68  0.36
LDA       0.69  0.38↓  0.55↓ 0.32↓  0.67↓ 0.41↓  0.59↓ 0.25↓
"""
BEST: dict[str, list[Value | None]] = {
    line.split()[0]: values(line.partition(" ")[2]) for line in _BEST.strip().splitlines()
}
"""Table 5: best average precision and its NMI, for each collection in turn."""


def best(method: str, collection: str) -> dict[str, Value | None]:
    """Precision and NMI of Table 5.

    Examples
    --------
    >>> best("LDA", "WebKB")["nmi"].mean
    0.25
    """
    place = 2 * COLLECTIONS.index(collection)
    return {"precision": BEST[method][place], "nmi": BEST[method][place + 1]}


FIGURES = (
    "The figure prints no numbers; what the text says of it is in the statements below. Dashed "
    "lines are the published values of Table 5."
)
GAPS = {"precision": 14, "nmi": 17}
"""Points by which PLSA is above MM on WebKB, the largest of the gaps (section 3.3)."""

GAINS = {"Reuters-21578": (25, 6), "20Newsgroups": (20, 8)}
"""Best number of concepts of Ext-PLSA, and the points of AP it gains over PLSA there."""
