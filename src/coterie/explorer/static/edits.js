// What people do to a result: each edit is saved by the server before it shows, and can be undone.

import { bdi, chip, counted, make, percent } from "./dom.js";
import { blob, post, result } from "./server.js";
import { ask, attempt, clusteringFields, field, option, say } from "./parts.js";

const EXPORTS = [
  ["csv", "Documents as CSV", "Each document with its cluster, for a spreadsheet."],
  ["parquet", "Documents as Parquet", "The same in full precision, with the texts."],
  ["json", "Clusters as JSON", "Words, documents and all else that the page shows."],
  ["page", "Page", "One HTML file to share."],
  ["model", "Everything with the model", "A zip of the folder of results, for `coterie assign` and `coterie.load`."],
];

/** Hand a file to the browser, which keeps it where it keeps downloads. */
function keep({ name, content }) {
  const address = URL.createObjectURL(content);
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

export function actions(app, node, source, state) {
  const { clusters } = source.head;
  const names = new Map(clusters.map((each) => [each.number, each.name]));
  const allowed = !node.preliminary;
  const undo = () => attempt(async () => (await post(result(node.id, "/undo")), await app.changed(), say("The last edit is undone.")));
  const edit = (body, sentence, focus) =>
    attempt(async () => {
      const answer = await post(result(node.id, "/edits"), body);
      if (answer.job) say(`${sentence.replace(/\.$/, "")} …`);
      else {
        await app.changed(focus);
        say(sentence, { name: "Undo", call: undo });
      }
    });
  const open = (path, body = {}) => attempt(async () => app.open((await post(result(node.id, path), body)).id));
  const listed = (numbers) => numbers.map((number) => `${number} “${names.get(number)}”`).join(" and ");

  const gather = async (numbers) => {
    const how = clusteringFields(await app.methods(), { method: source.answer.facts.method });
    const size = clusters.filter((each) => numbers.includes(each.number)).reduce((sum, each) => sum + each.size, 0);
    const about = make("p", {}, `Only the ${counted(size, "document")} of ${listed(numbers)} are clustered. You come back by the path.`);
    const body = await ask("Gather and cluster", "Cluster these", [about, ...how.fields], how.read);
    if (body) open("/gather", { ...body, clusters: numbers });
  };
  const again = async () => {
    const how = clusteringFields(await app.methods(), { offered: source.answer.facts.offered });
    const body = await ask("Cluster the same documents again", "Cluster", [make("p", {}, "By another method or into another number of clusters. The two can be compared."), ...how.fields], how.read);
    if (body) open("/again", body);
  };
  const assign = async () => {
    const text = make("textarea", { rows: 8, required: true, maxlength: 1000000 });
    const place = make("div", { class: "assigned", role: "status" });
    const find = make("button", { type: "button", class: "main", onclick: () => attempt(async () => place.replaceChildren(assigned(await post(result(node.id, "/assign"), { text: text.value }), clusters))) }, "Assign");
    await ask("Which cluster is a new text in?", "", [field("Text", text), find, place]);
  };
  const exporting = async () => {
    const row = ([kind, name, about]) => {
      const button = make("button", { type: "button" }, name);
      button.addEventListener("click", () =>
        attempt(async () => {
          button.disabled = true;
          try {
            keep(await blob(result(node.id, `/export/${kind}`)));
          } finally {
            button.disabled = false;
          }
        }),
      );
      return make("li", {}, button, make("span", { class: "muted" }, about));
    };
    await ask("Export", "", [make("p", {}, "Edits are in all of these."), make("ul", { class: "exports" }, ...EXPORTS.map(row))]);
  };
  const steer = () => open("/steer");
  const move = (ids, number) => edit({ edit: "move", ids, cluster: number }, `Moved ${counted(ids.length, "document")} to ${listed([number])}.`);
  const target = (label, empty) => make("select", { "aria-label": label }, option("", empty, true), ...clusters.map((each) => option(each.number, `${each.number} ${each.name}`)));

  return {
    allowed,
    undo,
    gather,
    steer,
    rename: (number, name) => edit({ edit: "rename", cluster: number, name }, name.trim() ? `Cluster ${number} is now “${name.trim()}”.` : `Cluster ${number} has its automatic name back.`, number),
    merge: (numbers) => edit({ edit: "merge", clusters: numbers }, `Merged ${listed(numbers)}.`, Math.min(...numbers)),
    split: (number, parts) => edit({ edit: "split", cluster: number, parts }, `Splitting ${listed([number])} into ${parts}.`),
    drop: (numbers) => edit({ edit: "drop", clusters: numbers }, `Dropped ${listed(numbers)}; the documents are set aside.`),
    changedQuietly: () => (app.stale = true),

    /** What can be done to one document of the list. */
    moving(i) {
      if (!allowed || clusters.length < 2) return "";
      const select = target("Move this document to", "Move to …");
      select.addEventListener("change", async () => {
        if (select.value) move([(await source.names()).ids[i]], Number(select.value));
      });
      return make("p", { class: "moving" }, select);
    },

    /** What can be done to all documents of the list. */
    movingAll() {
      const select = target("Move all of these documents to", "Move all of these to …");
      const place = make("p", { class: "moving all" }, select);
      state.watch(["marked"], ({ marked, selection }) => {
        const n = marked?.reduce((sum, each) => sum + each, 0) ?? 0;
        place.hidden = !allowed || clusters.length < 2 || n < 2 || selection?.kind === "all";
        select.options[0].textContent = `Move all ${counted(n, "document")} to …`;
      });
      select.addEventListener("change", async () => {
        const marked = state.get("marked");
        const { ids } = await source.names();
        if (select.value && marked) move(ids.filter((_, i) => marked[i]), Number(select.value));
      });
      return place;
    },

    tools() {
      const button = (text, call, more = {}) => make("button", { type: "button", onclick: call, ...more }, text);
      return [
        button("All documents", () => state.set({ selection: { kind: "all" } })),
        button("Assign a text", assign),
        allowed && button("Cluster again", again),
        button("Export", exporting, { class: "main" }),
      ].filter(Boolean);
    },
  };
}

function assigned(found, clusters) {
  const cluster = clusters.find((each) => each.number === found.cluster);
  if (!found.n_words) return make("p", {}, "None of its words occurs in these documents, so nothing speaks for a cluster.");
  const first = cluster ? [chip({ label: String(cluster.number), hue: cluster.hue }), " ", bdi(cluster.name), `, ${percent(found.probability)}`] : ["a dropped cluster"];
  const second = found.second_name ? ["; second choice ", bdi(`${found.second} ${found.second_name}`), `, ${percent(found.second_probability)}`] : [];
  return make("p", {}, ...first, ...second, `. ${counted(found.n_words, "word")} of it known here.`);
}
