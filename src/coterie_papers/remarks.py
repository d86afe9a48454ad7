"""Notes on what differs from the papers: why, as far as it is known, and what was tried.

Notes are on full runs on the collections that the items name.
"""

_CONCEPTS = (
    "C-MM does not improve on the plain mixture as published. Algorithm 1, read literally, "
    "stops early at a poor optimum and is far below the mixture. With a small prior, as here, "
    "it is about as good as the mixture."
)
_FRENCH = (
    "The French substitute has 600 documents and weights instead of counts. The mixture on "
    "words takes the weights for counts and is far below the published value. Scores on the "
    "substitute can be compared with each other, not with the paper's."
)
_START = (
    "The plain mixture and PLSA are better on Reuters-21578 than published. The paper does not "
    "say which 4,335 stories it used; all 8,197 of the seven classes are used here. EM stops "
    "when an iteration gains less than 1e-5 of the likelihood; going on to 1e-7 raised "
    "precision by about 0.01 (`benchmarks/quality.py`)."
)
_AUTO = (
    "`auto` uses only the texts. It is compared with published values for which the words, the "
    "pruning or the number of concepts were chosen by the classes."
)

REMARKS: dict[str, tuple[str, ...]] = {
    "pessiot-table1": (
        "The paper says neither how its 4,335 stories of Reuters-21578 were chosen nor which "
        "of the three distributions of 20 Newsgroups it used.",
    ),
    "pessiot-table2": (
        "The clusters of CEM depend on its start. The published ones are examples that the "
        "authors chose; ours are from one start.",
    ),
    "pessiot-table3": (_CONCEPTS, _FRENCH, _START),
    "pessiot-table5": (_CONCEPTS, _FRENCH, _START, _AUTO),
    "pessiot-figure2": (_CONCEPTS, _FRENCH, _START),
    "pessiot-figure3": (
        "Ext-PLSA is above PLSA at its best number of concepts but not at every number: the "
        "deviation over splits is larger than the difference.",
        _FRENCH,
        _START,
    ),
    "grimal-table2": (
        "The paper leaves some choices open. They were made so that the table is matched best: "
        "mutual information is pointwise, the largest over the classes, with a smoothing of "
        "half a document; copies of a message are kept; distances are the square root of one "
        "minus the similarity; LSA uses raw counts. Without smoothing, words of a single class "
        "come first however rare they are.",
        "CTK is as good as χ-Sim on M2, M5, M10 and NG1, which is better than published. "
        "Documents in different components of the graph have similarity 0 here, the limit for "
        "ever weaker links. With the value of the pseudo-inverse instead, CTK falls to 0.33 on "
        "M5.",
        "On NG2 and NG3, χ-Sim with pseudo-norm is 0.03 to 0.05 below the published value, "
        "about three of its deviations. Other distances, and samples without copies, did not "
        "change this.",
        "The paper quotes BVD and RSN from other articles, which use other words and other "
        "draws.",
        _AUTO,
    ),
    "grimal-table3": (
        "χ-Sim without pruning is much better here than published (NG2: 0.7, in the paper "
        "0.4), so pruning has less to improve; Cosine, LSA and CTK are worse. The selected "
        "words must differ from the paper's. These were tried on M5 and NG2: k-medoids by "
        "alternation as in the package the paper used, also from random classes as there; "
        "distances of presence instead of counts; the most frequent words; random words. None "
        "of them gives both the published Cosine and the published χ-Sim without pruning. The "
        "selection used here (the best medoids that FasterPAM finds) is nearest.",
        _AUTO,
    ),
    "grimal-figure2": (
        "As in grimal-table3, pruning is of little use with our words on most samples, among "
        "them NG1 at k = 0.6.",
    ),
    "rigouste-figure6": (
        "On 20 Newsgroups the incremental vocabulary comes near the start from the classes but "
        "does not reach it, and its likelihood stays below: messages vary more than the "
        "paper's newswire stories. A first vocabulary larger than the paper's 500 words helps.",
    ),
    "kim-table2": (
        "With 600 documents instead of 111,740, each view alone is weak. Fusion-LM was written "
        "from a description of it, not from the article, and is better on the Reuters sample "
        "than the paper reports of it.",
    ),
    "wang-table2": (
        "Newsgroups are harder to separate than Wikipedia's topics, and messages are shorter, "
        "so the F1 of all topic models is lower. ITCC has a far higher recall here than the "
        "published 0.07. A partition into 15 clusters has so low a recall only if it splits "
        "classes into many even parts; why it did so in the paper is not known.",
        "The recall of `auto` is below the published one: with 15 or 20 clusters for nine "
        "classes it keeps pure parts of a class apart.",
    ),
}
