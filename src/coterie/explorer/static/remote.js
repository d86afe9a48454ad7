// The source of a result that the server holds: parts of its payload as they are needed, texts one
// by one, search by the server.

import { PayloadSource } from "./source.js";
import { bytes, get, result } from "./server.js";

export class RemoteSource extends PayloadSource {
  constructor(id, answer) {
    super(answer.head, (name) => bytes(result(id, `/parts/${encodeURIComponent(name)}?version=${answer.version}`)));
    this.id = id;
    this.answer = answer;
    this.documents = new Map();
  }

  /** Everything known of a document. */
  async document(name) {
    if (!this.documents.has(name)) {
      this.documents.set(name, get(result(this.id, `/document?id=${encodeURIComponent(name)}`)));
    }
    return this.documents.get(name);
  }

  async text(i) {
    const { ids } = await this.names();
    const { text, whole } = await this.document(ids[i]);
    return { text, whole };
  }

  async find(query) {
    const { ids } = await get(result(this.id, `/find?query=${encodeURIComponent(query)}`));
    const place = await this.once("places", async () => new Map((await this.names()).ids.map((id, i) => [id, i])));
    const documents = ids.map((id) => place.get(id)).filter((i) => i !== undefined);
    return { documents: Uint32Array.from(documents).sort(), inRest: new Set() };
  }
}
