// The first view: drop files, choose columns by looking at them, open what was closed.

import { bdi, counted, make, percent } from "./dom.js";
import { get, post, remove, result, sendFiles } from "./server.js";
import { ask, attempt, clusteringFields, field, option, say } from "./parts.js";

/** All files of what was dropped, folders included, each with its path as a label. */
export async function droppedFiles(transfer) {
  const entries = Array.from(transfer.items ?? [], (item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return chosenFiles(transfer.files);
  const found = [];
  const read = async (entry, path) => {
    if (entry.isFile) {
      found.push({ name: path + entry.name, file: await new Promise((done, failed) => entry.file(done, failed)) });
      return;
    }
    const reader = entry.createReader();
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return;
      for (const each of some) await read(each, `${path}${entry.name}/`);
    }
  };
  for (const entry of entries) await read(entry, "");
  return visible(found);
}

const chosenFiles = (files) => visible(Array.from(files, (file) => ({ name: file.webkitRelativePath || file.name, file })));

const visible = (files) => files.filter(({ name }) => !name.split("/").some((part) => part.startsWith("."))).sort((a, b) => (a.name < b.name ? -1 : 1));

/** The first view; `files` are those that were dropped elsewhere, or a promise of them. */
export function homeView(element, app, files = null) {
  const place = make("div", { class: "home" });
  element.replaceChildren(place);
  dropZone(place, app, files);
}

function dropZone(place, app, dropped = null) {
  const begin = (files) => attempt(async () => receive(place, app, await files));
  const files = make("input", { type: "file", multiple: true, id: "files", class: "unseen" });
  const folder = make("input", { type: "file", webkitdirectory: true, id: "folder", class: "unseen" });
  for (const input of [files, folder]) input.addEventListener("change", () => input.files.length && begin(chosenFiles(input.files)));
  const zone = make(
    "div",
    { class: "drop" },
    make("h1", {}, "What is in your documents?"),
    make("p", { class: "lead" }, "Drop files or a folder here. They stay on this machine."),
    make(
      "p",
      { class: "choices" },
      make("label", { class: "button main", for: "files" }, "Choose files"), files,
      make("label", { class: "button", for: "folder" }, "Choose a folder"), folder,
      make("button", { type: "button", onclick: () => attempt(async () => app.open((await post("/api/demo", { n_clusters: 12 })).id)) }, "Try the built-in corpus"),
    ),
    make("p", { class: "muted" }, "Texts, Markdown, HTML, mail, CSV, JSON, Parquet, and archives of them. A table may have a document in each row."),
  );
  zone.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    begin(droppedFiles(event.dataTransfer));
  });
  place.replaceChildren(zone, closedList(app));
  if (dropped) begin(dropped);
}

/** What was closed, to open again or remove. */
function closedList(app) {
  const closed = app.nodes.filter((node) => node.closed && !node.parent);
  if (!closed.length) return "";
  const row = (node) =>
    make(
      "li",
      {},
      bdi(node.title, { class: "closed-title" }),
      make("button", { type: "button", onclick: () => attempt(async () => (await post(result(node.id, "/open")), app.open(node.id))) }, "Open"),
      make("button", { type: "button", onclick: () => removeResult(app, node) }, "Remove"),
    );
  return make("section", { class: "closed", "aria-labelledby": "closed-title" }, make("h2", { id: "closed-title" }, "Closed"), make("ul", {}, ...closed.map(row)));
}

async function removeResult(app, node) {
  const about = make("p", {}, "The result and those gathered from it are removed from this machine. ", node.made_by === "opened" ? "The folder it was opened from stays." : "This cannot be undone.");
  if (!(await ask(`Remove “${node.title}”?`, "Remove", [about]))) return;
  await attempt(() => remove(result(node.id)));
  await app.refresh();
  app.home();
}

/** Send files, then show what they hold. */
async function receive(place, app, files) {
  if (!files.length) {
    say("No file is in what was dropped. Files and folders whose names begin with a dot are left out.");
    return;
  }
  const share = make("progress", { max: 1, value: 0, "aria-label": "Files sent" });
  const text = make("p", { role: "status" }, `Taking ${counted(files.length, "file")}`);
  place.replaceChildren(make("div", { class: "drop" }, text, share));
  try {
    const id = await sendFiles(files, (done) => {
      share.value = done;
      text.textContent = `Taking ${counted(files.length, "file")} · ${percent(done)}`;
    });
    text.textContent = "Looking at them";
    const seen = await get(`/api/uploads/${id}/preview`);
    await chooser(place, app, id, seen);
  } catch (error) {
    dropZone(place, app);
    throw error;
  }
}

/** Choose columns by looking at them, and how to cluster. */
async function chooser(place, app, id, seen) {
  const clustering = clusteringFields(await app.methods());
  const columns = seen.columns.length ? columnChooser(seen) : null;
  const form = make(
    "form",
    { class: "chooser" },
    make("h1", { tabindex: -1 }, bdi(seen.title)),
    make("p", { class: "lead" }, columns ? `A table. Which column holds the text?` : `${counted(seen.files, "file")}. The first documents:`),
    columns ? columns.element : documentList(seen.documents),
    make("div", { class: "fields" }, ...(columns?.fields ?? []), ...clustering.fields),
    make(
      "p",
      { class: "choices" },
      make("button", { type: "submit", class: "main" }, "Find clusters"),
      make("button", { type: "button", onclick: () => attempt(async () => (await remove(`/api/uploads/${id}`), dropZone(place, app))) }, "Other files"),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => {
      const node = await post(`/api/uploads/${id}/cluster`, { ...clustering.read(), ...columns?.read() });
      await app.open(node.id);
    });
  });
  place.replaceChildren(form);
  form.querySelector("h1").focus();
}

const documentList = (documents) =>
  make("ol", { class: "previewed" }, ...documents.map((each) => make("li", {}, make("bdi", { class: "document-title" }, each.title), make("bdi", { class: "excerpt" }, each.text))));

function columnChooser(seen) {
  const boxes = [];
  const rows = seen.columns.map((column, at) => {
    const box = make("input", { type: "checkbox", id: `column-${at}`, checked: column.name === seen.text });
    boxes.push([column.name, box]);
    const filled = column.filled < 0.995 ? `filled in ${percent(column.filled)}` : "always filled";
    return make(
      "tr",
      {},
      make("td", {}, box),
      make("th", { scope: "row" }, make("label", { for: `column-${at}` }, bdi(column.name))),
      make("td", { class: "examples" }, ...column.examples.flatMap((example, k) => [k ? make("span", { class: "muted" }, " · ") : "", bdi(example)])),
      make("td", { class: "muted" }, `${filled}, ${counted(column.length, "character")} on average`),
    );
  });
  const head = make("tr", {}, ...["Text", "Column", "Examples", "Content"].map((name) => make("th", { scope: "col" }, name)));
  const none = () => [option("", "none", true), ...seen.columns.map((column) => option(column.name, column.name))];
  const [title, name, label] = [0, 1, 2].map(() => make("select", {}, ...none()));
  const table = make("table", { class: "columns" }, make("thead", {}, head), make("tbody", {}, ...rows));
  return {
    element: make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Columns of the table" }, table),
    fields: [field("Title", title), field("Name of each document", name), field("Known classes, to compare with", label)],
    read: () => ({ text: boxes.filter(([, box]) => box.checked).map(([column]) => column), title: title.value, id: name.value, label: label.value }),
  };
}
