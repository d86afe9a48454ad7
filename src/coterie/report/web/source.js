// A source gives the views their data. The page has one that reads the data blocks in it; the
// explorer has another, which asks its server. Both have:
//
//   head                      the head of the payload (see report/payload.py)
//   await arrays()            its arrays by name
//   await names()             {titles, ids, files} of the listed documents
//   await text(i)             {text, whole} of a listed document; text is "" where there is none
//   await find(query)         {documents, inRest}: the listed documents that have all words of the
//                             query, ascending (Uint32Array), and a Set of those in which a word
//                             stands only in the part of the text that is cut off
//   await words()             {words, shown, main, shares: Float32Array (clusters × words)}
//   await occurrences(at)     {documents, counts} of the word at that position of `words`; also
//                             of documents that are points only
//   link(i)                   address of the file of a listed document, or ""
//   actions?.(i)              where there are any: an element with what can be done to a document

import { decodeText, fromBase64, inflate, Postings, readArrays } from "./data.js";
import { TextSearch } from "./search.js";

/** What any source does with the parts of a payload; `part(name)` gives the bytes of one. */
export class PayloadSource {
  constructor(head, part) {
    this.head = head;
    this.part = part;
    this.kept = new Map();
  }

  /** A value made once, at the first call. */
  once(name, make) {
    if (!this.kept.has(name)) this.kept.set(name, make());
    return this.kept.get(name);
  }

  arrays() {
    return this.once("arrays", async () => readArrays(this.head.arrays, await this.part("arrays")));
  }

  names() {
    return this.once("names", async () => {
      const names = JSON.parse(decodeText(await this.part("names")));
      this.known = names;
      return names;
    });
  }

  words() {
    return this.once("words", async () => {
      const words = JSON.parse(decodeText(await this.part("words")));
      const bytes = await this.part("word_shares");
      words.shares = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
      return words;
    });
  }

  async occurrences(at) {
    const postings = await this.once("postings", async () => {
      const { words } = await this.words();
      return new Postings(await this.part("word_postings"), words.length, 2);
    });
    return postings.of(at);
  }

  texts() {
    return this.once("texts", async () => {
      const bytes = await this.part("texts");
      return bytes ? decodeText(bytes).split("\0").slice(0, -1) : [];
    });
  }

  async text(i) {
    const { whole } = await this.arrays();
    return { text: (await this.texts())[i] ?? "", whole: !whole || whole[i] === 1 };
  }

  searcher() {
    return this.once("searcher", async () => {
      const words = await this.part("rest_words");
      const rest = words ? decodeText(words).split("\n").slice(0, -1) : [];
      const postings = words ? new Postings(await this.part("rest_postings"), rest.length, 1) : null;
      return new TextSearch(await this.names(), await this.texts(), rest, postings);
    });
  }

  async find(query) {
    return (await this.searcher()).find(query);
  }

  link(i) {
    if (!this.head.links || !this.known?.files[i]) return "";
    return this.head.links + this.known.ids[i].split("/").map(encodeURIComponent).join("/");
  }
}

/** The source of the page: compressed data blocks, by the ids "part-NAME". */
export async function embeddedSource() {
  const part = async (name) => {
    const block = document.getElementById(`part-${name}`);
    if (!block) return null;
    const bytes = await inflate(fromBase64(block.textContent));
    block.textContent = "";
    block.remove();
    return bytes;
  };
  return new PayloadSource(JSON.parse(decodeText(await part("head"))), part);
}
