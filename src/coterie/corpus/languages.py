"""What is known of each language: its name, its function words, its stems."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from coterie.errors import InputError

UNDETERMINED = "und"
"""The language of documents that hold no language, such as tables of figures."""

ENGLISH_FUNCTION_WORDS = tuple(
    """
    a an the this that these those
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what one ones someone anyone everyone something anything nothing
    about above across after against along among around as at before behind below beneath
    beside between beyond by despite down during except for from in inside into like near of
    off on onto out outside over per since through throughout till to toward towards under
    until up upon via with within without
    and but or nor so yet if then than because although though while whereas whether unless
    am is are was were be been being do does did doing done have has had having
    can could may might must shall should will would ought cannot
    not no any some each every all both either neither other another such same own
    few more most much many less least
    when where why how here there now just only very too also again ever never once
    isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't can't couldn't
    shouldn't wouldn't mustn't i'm i've i'll i'd you're you've you'll you'd he's he'll he'd
    she's it's it'll we're we've we'll we'd they're they've they'll they'd that's there's
    """.split()  # noqa: SIM905
)

STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german",
    "el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian",
    "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip

NORWEGIAN = {"nb": "no", "nn": "no"}
UNSPACED = {"ja", "km", "lo", "my", "th", "zh"}
WITHOUT_STOP_LIST = frozenset(
    """
    am an as az ba be bs cy dz fo fy gd ht ig is jv ka kk km kn ky lb lg ln lo mg mk ml mn mt
    my nb ne nn oc om or pa ps qu rw sa se si sn sq sr ta te tg tk tt ug uz vo wa xh yi
    """.split()  # noqa: SIM905
)
SAMPLE = 100
SAMPLE_CHARACTERS = 500
SHORT_SAMPLE = 2000
OFTEN = 0.3  # share of the sample from which on a second language counts


@dataclass(frozen=True)
class Guess:
    """The language most documents of a sample are in, and how many are in which."""

    language: str
    votes: dict[str, int]

    def often(self) -> list[str]:
        """Languages that a good part of the documents is in, the most frequent first.

        Examples
        --------
        >>> Guess("de", {"de": 50, "fr": 40, "it": 10}).often()
        ['de', 'fr']
        """
        least = OFTEN * sum(self.votes.values())
        return [code for code, n in self.votes.items() if n >= least]

    def remark(self) -> str:
        """The guess as a sentence, with the other languages where there are any."""
        total = sum(self.votes.values())
        if not total:
            return "no language identified: the documents hold no letters"
        share = self.votes.get(self.language, 0)
        sentence = f"language identified as '{self.language}'"
        others = [f"{code} {n}" for code, n in self.votes.items() if code != self.language]
        if not others:
            return sentence
        most = f"{share} of {total} sampled documents"
        return f"{sentence} by {most} (others: {', '.join(others)})"


def identify(texts: Sequence[str]) -> Guess:
    """Identify the language of documents by a vote of a sample spread over them.

    Examples
    --------
    >>> identify(["Le chat dort sur le canapé et le chien dans la cour."]).language
    'fr'
    >>> identify(["12 34", "+++"]).language
    'und'
    """
    step = max(1, -(-len(texts) // SAMPLE))
    sample = [text[:SAMPLE_CHARACTERS] for text in texts[::step]]
    sample = [text for text in sample if any(map(str.isalpha, text))]
    if sum(map(len, sample)) < SHORT_SAMPLE:
        sample = ["\n".join(sample)] if sample else []
    votes = Counter(map(_classify, sample))
    ranked = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    return Guess(ranked[0][0] if ranked else UNDETERMINED, dict(ranked))


def _classify(text: str) -> str:
    import py3langid

    code = str(py3langid.classify(text)[0])
    return UNDETERMINED if code == "zxx" else code


def is_known(code: str) -> bool:
    """Tell whether a language code is known.

    Examples
    --------
    >>> is_known("de"), is_known("klingon")
    (True, False)
    """
    return code == UNDETERMINED or code in _known()


def check_language(code: str) -> None:
    """Refuse a language code nobody knows."""
    if not is_known(code):
        common = ", ".join(sorted(_stop_lists().keys() & STEMMERS.keys()))
        raise InputError(
            f"language: '{code}' is not a known ISO 639-1 code; known are {common} "
            f"and {len(_known())} in all"
        )


@cache
def _stop_lists() -> dict[str, frozenset[str]]:
    import stopwordsiso

    return {code: frozenset(stopwordsiso.stopwords(code)) for code in stopwordsiso.langs()}


@cache
def _known() -> frozenset[str]:
    return frozenset(_stop_lists()) | STEMMERS.keys() | WITHOUT_STOP_LIST | {UNDETERMINED}


def stop_list(language: str, size: str = "auto") -> frozenset[str] | None:
    """Return the function words of a language, or None if there is no list of them.

    Examples
    --------
    >>> "the" in stop_list("en"), len(stop_list("en")) < len(stop_list("en", "long"))
    (True, True)
    >>> stop_list("ka") is None
    True
    """
    if language == "en" and size != "long":
        return frozenset(ENGLISH_FUNCTION_WORDS)
    return _stop_lists().get(NORWEGIAN.get(language, language))


def stemmer(language: str) -> Callable[[Iterable[str]], list[str]]:
    """Return the function that cuts words of a language to their stems.

    Examples
    --------
    >>> stemmer("en")(["clusters", "clustering"])
    ['cluster', 'cluster']
    """
    import Stemmer

    name = STEMMERS.get(NORWEGIAN.get(language, language))
    if name is None or name not in Stemmer.algorithms():
        raise InputError(
            f"stem: there is no stemmer for language '{language}'; there is one for "
            f"{', '.join(sorted(STEMMERS))}"
        )
    stems: Callable[[Iterable[str]], list[str]] = Stemmer.Stemmer(name).stemWords
    return stems
