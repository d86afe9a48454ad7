"""Numbers of Wang."""

from coterie_papers.items import Value

TOPICS = {  # Table 1, as printed, with the groups section 5.2 names for them
    "comp.graphics": ["image", "graphical", "file", "program", "fotmat"],
    "comp.sys.ibm.pc.hardware": ["drive", "scsi", "mb", "disk", "control"],
    "talk.religion.misc": ["god", "think", "believe", "christ", "athetist"],
    "talk.politics.mideast": ["israel", "jew", "arab", "war", "kill"],
    "sci.space": ["space", "nassa", "orbit", "launch", "earth"],
}
_MISPRINTED = {"fotmat": "format", "athetist": "atheist", "nassa": "nasa"}


def intended(word: str) -> str:
    """The word a misprint stands for.

    Examples
    --------
    >>> intended("nassa")
    'nasa'
    """
    return _MISPRINTED.get(word, word)


PAIRS = {  # Table 2, percent: precision, recall, F1
    ("2PLSA", 15): (38.56, 70.38, 48.83),
    ("LDCC", 15): (30.88, 79.21, 44.43),
    ("ITCC", 15): (31.06, 7.44, 12.00),
    ("2PLSA", 20): (37.32, 70.17, 48.75),
    ("LDCC", 20): (31.10, 75.50, 44.09),
    ("ITCC", 20): (31.06, 6.16, 10.28),
}


def pairs(method: str, n_topics: int) -> dict[str, Value]:
    """Precision, recall and F1 of Table 2, as shares.

    Examples
    --------
    >>> pairs("LDCC", 15)["recall"].mean
    0.7921
    """
    row = PAIRS.get((method, n_topics))
    if row is None:
        return {}
    return {
        name: Value(round(share / 100, 4))
        for name, share in zip(("precision", "recall", "f1"), row, strict=True)
    }


MATRIX = (10, 4980, 24864)  # groups, documents, words of Figure 1
