"""What is known of each language: its name, its function words, its stems."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

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
OFTEN = 0.05  # share of the sample from which on a second language counts
MAIN_SHARE = 0.25  # of words that are function words of a language: the text is in it
SEVERAL_SHARE = 0.15  # the same of several such words
MAIN_WORDS = 60  # that are looked at for that
SHOWN_LANGUAGES = 5
SHORT_TEXT = 60  # characters, up to which a text is in one of the languages of the sample


@dataclass(frozen=True)
class Guess:
    """The language most documents of a sample are in, and how many are in which."""

    language: str
    votes: dict[str, int]

    def often(self) -> list[str]:
        """Languages that a good part of the documents is in, the most frequent first.

        Examples
        --------
        >>> Guess("de", {"de": 60, "fr": 38, "it": 2}).often()
        ['de', 'fr']
        """
        return frequent(self.votes)

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
        more = ", ..." if len(others) > SHOWN_LANGUAGES else ""
        named = ", ".join(others[:SHOWN_LANGUAGES]) + more
        return f"{sentence} in {share:,} of {total:,} documents (others: {named})"


def frequent(documents: Mapping[str, int]) -> list[str]:
    """Languages that a good part of the documents is in, in the order given.

    Examples
    --------
    >>> frequent({"en": 90, "de": 9, "fr": 1})
    ['en', 'de']
    """
    least = max(2, OFTEN * sum(documents.values()))
    return [code for code, n in documents.items() if n >= least]


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


@cache
def _identifier(among: tuple[str, ...] = ()) -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE)
    if among:
        identifier.set_languages(among)
    return identifier


def _classify(text: str, among: tuple[str, ...] = ()) -> str:
    code = str(_identifier(among).classify(text)[0])
    return UNDETERMINED if code == "zxx" else code


class Identifier:
    """Identifies the language of each document, given those of a sample, the main one first.

    A text with many function words of the main language is in it, where the sample holds no
    other; a short one is in one of the languages of the sample.

    Examples
    --------
    >>> identifier = Identifier(("en", "de"))
    >>> text = "Der Hund schläft auf dem Sofa, und die Katze sitzt am Fenster und wartet. "
    >>> identifier.language_of(text, text.lower().split())
    'de'
    >>> identifier.language_of("The tea is good.", ["the", "tea", "is", "good"])
    'en'
    """

    def __init__(self, among: tuple[str, ...]) -> None:
        self._among, self._main = among, among[0]
        self._known = tuple(code for code in among if code != UNDETERMINED)
        self._quick = stop_list(self._main) if len(among) == 1 else None

    def language_of(self, text: str, words: Sequence[str]) -> str:
        """The language of a text, given its words in lower case."""
        start = words[:MAIN_WORDS]
        if self._quick and start:
            if len(text) < SHORT_TEXT and text.isascii():
                return self._main
            number = sum(map(self._quick.__contains__, start))
            least = MAIN_SHARE if number == 1 else SEVERAL_SHARE
            if number >= least * len(start):
                return self._main
        if not any(map(str.isalpha, text[:SAMPLE_CHARACTERS])):
            return self._main
        if len(text) >= SHORT_TEXT:
            code = _classify(text[:SAMPLE_CHARACTERS])
            return code if code in self._among or self._is_clear(code, start) else self._main
        return _classify(text, self._known) if len(self._known) > 1 else self._main

    def _is_clear(self, code: str, words: Sequence[str]) -> bool:
        """Tell whether a language that the sample does not hold shows in its function words."""
        if code == UNDETERMINED or not is_known(code):
            return False
        own, main = stop_list(code), stop_list(self._main)
        if own is None or main is None or code in UNSPACED:
            return True
        return sum(map(own.__contains__, words)) > sum(map(main.__contains__, words))


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


def stemmer_or_none(language: str) -> Callable[[Iterable[str]], list[str]] | None:
    """Return the stemmer of a language, or None if there is none."""
    return stemmer(language) if NORWEGIAN.get(language, language) in STEMMERS else None
