// Which documents have the words of a query, and where these stand in a text.
//
// A word of a query is found at the beginning of a word: "chess" finds "chessboard". Case and
// accents do not matter. In scripts without spaces it is found anywhere.

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;
const folded = new Map();

function foldSign(sign) {
  let plain = folded.get(sign);
  if (plain === undefined) {
    const first = sign.normalize("NFKD")[0].toLowerCase();
    plain = first.length === sign.length ? first : sign;
    folded.set(sign, plain);
  }
  return plain;
}

/** A text in lower case without accents, of the same length. */
export function fold(text) {
  return text.replace(/[^\0-\x7f]/g, foldSign).toLowerCase();
}

/** The words of a query, folded. */
export function queryWords(query) {
  return fold(query).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** Whether a word of letters or digits goes on across a place of a text. */
const inWord = (text, at) => at > 0 && WORD.test(text[at - 1]);

/** Start and end of each word of the query in a text, in order. */
export function hitsIn(text, words) {
  const plain = fold(text);
  const hits = [];
  for (const word of words) {
    const anywhere = UNSPACED.test(word);
    for (let at = plain.indexOf(word); at >= 0; at = plain.indexOf(word, at + word.length)) {
      if (!anywhere && inWord(plain, at)) continue;
      let end = at + word.length;
      while (!anywhere && end < plain.length && WORD.test(plain[end])) end++;
      hits.push([at, end]);
    }
  }
  hits.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  return hits.filter(([start], i) => i === 0 || start >= hits[i - 1][1]);
}

/** Search over titles, ids, texts, and words of the parts of texts that are cut off. */
export class TextSearch {
  constructor({ titles, ids }, texts, restWords, restPostings) {
    const pieces = titles.map((title, i) => `${title}\n${ids[i]}\n${texts[i] ?? ""}`);
    this.ends = new Uint32Array(pieces.length);
    let end = 0;
    pieces.forEach((piece, i) => (this.ends[i] = end += piece.length + 1));
    this.all = fold(pieces.join("\0"));
    this.rest = restWords.map(fold);
    this.postings = restPostings;
  }

  find(query) {
    const words = [...new Set(queryWords(query))];
    const n = this.ends.length;
    if (words.length === 0) return { documents: new Uint32Array(0), inRest: new Set() };
    const found = new Uint8Array(n).fill(1);
    const inRest = new Set();
    for (const word of words) {
      const here = this.inTexts(word);
      const there = this.inRests(word, here);
      for (let i = 0; i < n; i++) {
        if (there[i] && found[i]) inRest.add(i);
        found[i] &= here[i] | there[i];
      }
    }
    const documents = Uint32Array.from(found.keys()).filter((i) => found[i]);
    for (const i of inRest) if (!found[i]) inRest.delete(i);
    return { documents, inRest };
  }

  /** Marks of the documents in whose shown text a word stands. */
  inTexts(word) {
    const marks = new Uint8Array(this.ends.length);
    const anywhere = UNSPACED.test(word);
    let document = 0;
    let at = this.all.indexOf(word);
    while (at >= 0) {
      if (anywhere || !inWord(this.all, at)) {
        while (this.ends[document] <= at) document++;
        marks[document] = 1;
        at = this.all.indexOf(word, Math.max(this.ends[document], at + 1));
      } else at = this.all.indexOf(word, at + 1);
    }
    return marks;
  }

  /** Marks of the documents with a word in the rest of their text, and not in what is shown. */
  inRests(word, shown) {
    const marks = new Uint8Array(this.ends.length);
    if (!this.postings) return marks;
    const anywhere = UNSPACED.test(word);
    this.rest.forEach((each, at) => {
      if (anywhere ? !each.includes(word) : !each.startsWith(word)) return;
      for (const document of this.postings.of(at).documents) marks[document] = shown[document] ? 0 : 1;
    });
    return marks;
  }
}
