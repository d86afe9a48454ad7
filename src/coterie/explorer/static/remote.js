// The source of a result that the server holds: parts of its payload as they are needed, texts one
// by one, search by the server.

import { PayloadSource } from "./source.js";
import { bytes, get, post, result } from "./server.js";

export class RemoteSource extends PayloadSource {
  constructor(id, answer) {
    super(answer.head, (name) => bytes(result(id, `/parts/${encodeURIComponent(name)}?version=${answer.version}`)));
    this.id = id;
    this.answer = answer;
    this.documents = new Map();
    this.wanted = [];
  }

  /** Everything known of a document. */
  async document(name) {
    if (!this.documents.has(name)) {
      this.documents.set(name, get(result(this.id, `/document?id=${encodeURIComponent(name)}`)));
    }
    return this.documents.get(name);
  }

  /** Texts that are asked for at the same time are fetched together. */
  text(i) {
    return new Promise((done, failed) => {
      if (!this.wanted.length) setTimeout(() => this.fetchTexts(), 0);
      this.wanted.push({ i, done, failed });
    });
  }

  async fetchTexts() {
    const wanted = this.wanted;
    this.wanted = [];
    try {
      const { ids } = await this.names();
      const texts = await post(result(this.id, "/texts"), { ids: wanted.map(({ i }) => ids[i]) });
      wanted.forEach(({ done }, at) => done(texts[at]));
    } catch (error) {
      for (const { failed } of wanted) failed(error);
    }
  }

  async find(query) {
    const { ids } = await get(result(this.id, `/find?query=${encodeURIComponent(query)}`));
    const place = await this.once("places", async () => new Map((await this.names()).ids.map((id, i) => [id, i])));
    const documents = ids.map((id) => place.get(id)).filter((i) => i !== undefined);
    return { documents: Uint32Array.from(documents).sort(), inRest: new Set() };
  }
}
