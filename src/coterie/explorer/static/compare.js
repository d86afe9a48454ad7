// Two results of the same documents side by side: which documents moved.

import { bdi, chip, counted, make, thousands } from "./dom.js";
import { get } from "./server.js";
import { attempt, field, option } from "./parts.js";

const SHOWN = 200;

export async function compareView(element, source, app, state) {
  const others = app.nodes.filter((node) => node.id !== source.id && node.status === "ready");
  if (!others.length) {
    element.append(make("p", { class: "about" }, "There is nothing to compare with yet. “Cluster again” makes another result of the same documents, by another method or number."));
    return;
  }
  const family = new Set(app.family(source.id).map((node) => node.id));
  const near = (node) => (family.has(node.id) ? 1 : 0) + (family.has(node.id) && node.made_by !== "gathered" ? 1 : 0);
  others.sort((a, b) => near(b) - near(a) || b.created - a.created);
  const other = make("select", {}, ...others.map((node) => option(node.id, app.pathOf(node.id).map((each) => each.title).join(" › "))));
  const place = make("div", {});
  const show = () =>
    attempt(async () => {
      place.replaceChildren(make("p", { class: "muted" }, "Comparing"));
      const found = await get(`/api/compare?one=${source.id}&other=${encodeURIComponent(other.value)}`);
      place.replaceChildren(...shown(found, source, state));
    });
  other.addEventListener("change", show);
  element.append(field("Compare with", other), place);
  await show();
}

function shown(found, source, state) {
  const hue = new Map(source.head.clusters.map((each) => [each.number, each.hue]));
  const [here, there] = found.names.map((names) => new Map(names));
  const counts = new Map(found.pairs.map((pair) => [`${pair.cluster} ${pair.other}`, pair.documents]));
  const totals = new Map();
  for (const pair of found.pairs) totals.set(pair.cluster, (totals.get(pair.cluster) ?? 0) + pair.documents);
  const matched = new Map(found.matching);
  const columns = [...there.keys()].sort((a, b) => order(matched, here, a) - order(matched, here, b));
  const cell = (row, column) => {
    const n = counts.get(`${row} ${column}`) ?? 0;
    const share = n / (totals.get(row) || 1);
    const same = matched.get(row) === column;
    return make("td", { class: [share > 0.55 ? "strong" : "", same ? "same" : ""].join(" ").trim() || null, css: n ? { "--share": String(share) } : {}, title: `${here.get(row)} → ${there.get(column)}: ${counted(n, "document")}` }, n ? thousands(n) : "");
  };
  const table = make(
    "table",
    { class: "heat shares" },
    make("caption", { class: "muted" }, "Rows are clusters here, columns those of the other result; framed are the pairs that match."),
    make("thead", {}, make("tr", {}, make("td", {}), ...columns.map((column) => make("th", { scope: "col", title: there.get(column) }, make("span", {}, `${column} `), bdi(there.get(column)))))),
    make("tbody", {}, ...[...here.keys()].map((row) => make("tr", {}, make("th", { scope: "row" }, chip({ label: String(row), hue: hue.get(row) ?? 0 }), " ", bdi(here.get(row))), ...columns.map((column) => cell(row, column))))),
  );
  const open = async (id) => {
    const at = (await source.names()).ids.indexOf(id);
    if (at >= 0) state.set({ selection: { kind: "one", document: at } });
  };
  const moved = found.moved.slice(0, SHOWN).map((each) =>
    make("tr", {}, make("th", { scope: "row" }, make("button", { type: "button", class: "link", onclick: () => open(each.id) }, bdi(each.title || each.id))), make("td", {}, `${each.cluster} `, bdi(each.name)), make("td", {}, `${each.other} `, bdi(each.other_name))),
  );
  return [
    make("p", { class: "lead", role: "status" }, `${found.sentence}.`),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Documents by cluster here and there" }, table),
    make("h3", {}, found.n_moved > SHOWN ? `The first ${SHOWN} of ${thousands(found.n_moved)} documents that moved` : `${counted(found.n_moved, "document")} moved`),
    moved.length ? make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Documents that moved" }, make("table", { class: "moved" }, make("thead", {}, make("tr", {}, ...["Document", "Here", "There"].map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...moved))) : "",
  ];
}

/** Columns come in the order of the rows they match. */
function order(matched, here, column) {
  const at = [...here.keys()].findIndex((row) => matched.get(row) === column);
  return at < 0 ? Infinity : at;
}
