// What the page asks of the explorer's server. The token came in the fragment of the address; it is
// kept for this tab of the browser and sent in a header.

const KEY = "coterie-token";

/** The token, from the address or, after a reload, from this tab of the browser. */
function findToken() {
  const given = location.hash.slice(1);
  if (/^[\w-]{43,}$/.test(given)) {
    sessionStorage.setItem(KEY, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(KEY) ?? "";
}

const token = findToken();

export const hasToken = () => token !== "";

/** A refusal of the server, in one sentence. */
export class Refusal extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

async function answerOf(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...options.headers, "X-Coterie-Token": token }, credentials: "omit", redirect: "error" });
  } catch {
    throw new Refusal("The explorer does not answer. It may have ended; start `coterie explore` again.", 0);
  }
  if (response.ok) return response;
  let sentence = `The explorer answered ${response.status}.`;
  try {
    sentence = (await response.json()).error;
  } catch {
    // the status says it
  }
  throw new Refusal(`${sentence[0].toUpperCase()}${sentence.slice(1)}`.replace(/([^.?!])$/, "$1."), response.status);
}

export const get = async (path) => (await answerOf(path)).json();

/** Bytes, or null where there are none to have. */
export const bytes = async (path) => {
  const response = await answerOf(path);
  return response.status === 204 ? null : new Uint8Array(await response.arrayBuffer());
};

export const blob = async (path) => {
  const response = await answerOf(path);
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? "export";
  return { name, content: await response.blob() };
};

export const post = async (path, body = {}) =>
  (await answerOf(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) })).json();

export const remove = async (path) => (await answerOf(path, { method: "DELETE" })).json();

/** Send files; `told` is called with the share that is sent. */
export async function sendFiles(files, told) {
  const { id } = await post("/api/uploads");
  const total = files.reduce((sum, { file }) => sum + file.size, 0) || 1;
  let [sent, at] = [0, 0];
  while (at < files.length) {
    const form = new FormData();
    let size = 0;
    for (let n = 0; at < files.length && n < 500 && (n === 0 || size + files[at].file.size < 16e6); n++, at++) {
      form.append("file", files[at].file, files[at].name);
      size += files[at].file.size;
    }
    await answerOf(`/api/uploads/${id}/files`, { method: "POST", body: form });
    sent += size;
    told(sent / total);
  }
  return id;
}

export const result = (id, rest = "") => `/api/results/${encodeURIComponent(id)}${rest}`;
