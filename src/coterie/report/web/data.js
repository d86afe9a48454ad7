// Bytes of a payload as numbers and words. The format is described in `report/payload.py`.

const TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
};

export const NONE = 65535;
export const NO_DAY = -2147483648;

/** Bytes of a text in base64. */
export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const signs = atob(text);
  const bytes = new Uint8Array(signs.length);
  for (let i = 0; i < signs.length; i++) bytes[i] = signs.charCodeAt(i);
  return bytes;
}

/** Bytes that gzip compressed. */
export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export const decodeText = (bytes) => new TextDecoder().decode(bytes);

/** The arrays of a payload by name; `bytes` is its part "arrays". */
export function readArrays(directory, bytes) {
  const arrays = {};
  for (const [name, { type, start, length }] of Object.entries(directory)) {
    arrays[name] = new TYPES[type](bytes.buffer, bytes.byteOffset + start, length);
  }
  return arrays;
}

/** Documents of words, from a part of variable-length integers. */
export class Postings {
  /** `width` is 2 where each document comes with a count, else 1. */
  constructor(bytes, nWords, width) {
    this.bytes = bytes;
    this.width = width;
    this.starts = new Uint32Array(nWords + 1);
    let at = 0;
    for (let word = 0; word < nWords; word++) {
      this.starts[word] = at;
      let n = 0;
      for (let shift = 1; ; shift *= 128) {
        const byte = bytes[at++];
        n += (byte & 127) * shift;
        if (byte < 128) break;
      }
      for (let left = n * width; left > 0; at++) if (bytes[at] < 128) left--;
    }
    this.starts[nWords] = at;
  }

  /** `{documents, counts}` of a word; counts are null where there are none. */
  of(word) {
    let at = this.starts[word];
    const next = () => {
      let value = 0;
      for (let shift = 1; ; shift *= 128) {
        const byte = this.bytes[at++];
        value += (byte & 127) * shift;
        if (byte < 128) return value;
      }
    };
    const n = next();
    const documents = new Uint32Array(n);
    const counts = this.width === 2 ? new Uint32Array(n) : null;
    let document = -1;
    for (let i = 0; i < n; i++) {
      document += next();
      documents[i] = document;
      if (counts) counts[i] = next();
    }
    return { documents, counts };
  }
}
