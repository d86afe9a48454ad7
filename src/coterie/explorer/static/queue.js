// Doubtful documents one by one: one key decides each. What is decided is an edit like any other.

import { bdi, chip, counted, make, percent } from "./dom.js";
import { get, post, result } from "./server.js";
import { attempt, option } from "./parts.js";

export async function queueView(element, source, act) {
  const rows = await get(result(source.id, "/doubtful"));
  const clusters = new Map(source.head.clusters.map((each) => [each.number, each]));
  const place = make("div", { class: "queue", tabindex: -1, role: "region", "aria-label": "Doubtful documents" });
  element.append(
    make("p", { class: "about" }, "Documents that may belong to another cluster, the closest first. A decision is an edit: it is saved, can be undone, and steers the next fit."),
    place,
  );
  let [at, decided] = [0, 0];

  const decide = (number) =>
    attempt(async () => {
      const row = rows[at];
      await post(result(source.id, "/edits"), { edit: "move", ids: [row.id], cluster: number });
      [at, decided] = [at + 1, decided + 1];
      act.changedQuietly();
      await show();
    });
  const later = () => {
    at += 1;
    return show();
  };
  const back = () =>
    attempt(async () => {
      if (!decided) return;
      await post(result(source.id, "/undo"));
      [at, decided] = [at - 1, decided - 1];
      act.changedQuietly();
      await show();
    });

  const choice = (key, number, share, verb) => {
    const cluster = clusters.get(number);
    return (
      cluster &&
      make("button", { type: "button", class: "decision", hue: cluster.hue, "data-key": key, onclick: () => decide(number) }, make("kbd", {}, key), make("span", {}, verb), chip({ label: String(number), hue: cluster.hue }), bdi(cluster.name), make("span", { class: "muted" }, percent(share)))
    );
  };

  const show = async () => {
    const row = rows[at];
    if (!row) {
      const done = rows.length ? `All ${counted(rows.length, "doubtful document")} seen, ${decided} decided.` : "No document is doubtful.";
      place.replaceChildren(make("p", { role: "status", tabindex: -1 }, done), decided ? make("button", { type: "button", class: "main", onclick: act.steer }, "Fit again from your decisions") : "");
      place.focus();
      return;
    }
    const { text, choices } = await source.document(row.id);
    const others = choices.filter(({ cluster }) => cluster !== row.cluster && cluster !== row.second);
    const rest = make("select", { "aria-label": "Another cluster" }, option("", "another cluster …", true), ...[...clusters.values()].filter((each) => each.number !== row.cluster && each.number !== row.second).map((each) => option(each.number, `${each.number} ${each.name}`)));
    rest.addEventListener("change", () => rest.value && decide(Number(rest.value)));
    place.replaceChildren(
      make("p", { class: "queue-count", role: "status" }, `${at + 1} of ${rows.length}`, decided ? ` · ${decided} decided` : ""),
      make("h2", {}, bdi(row.title || row.id)),
      make(
        "div",
        { class: "decisions" },
        choice("1", row.cluster, row.probability, "Keep in"),
        choice("2", row.second, row.second_probability, "Move to"),
        others[0] && choice("3", others[0].cluster, others[0].probability, "Move to"),
        rest,
        make("button", { type: "button", "data-key": "n", onclick: later }, make("kbd", {}, "n"), " Later"),
        make("button", { type: "button", "data-key": "u", onclick: back, disabled: !decided }, make("kbd", {}, "u"), " Undo"),
      ),
      make("div", { class: "full-text", dir: "auto", tabindex: 0, role: "region", "aria-label": "Text of the document" }, text || "The text is not at hand."),
    );
    place.focus({ preventScroll: true });
  };

  place.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input")) return;
    const button = [...place.querySelectorAll("[data-key]")].find((each) => each.dataset.key === event.key);
    if (!button || button.disabled) return;
    event.preventDefault();
    button.click();
  });
  await show();
}
