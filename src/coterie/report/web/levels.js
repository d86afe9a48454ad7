// Levels: a slider from coarser to finer; the overview follows.

import { bdi, chip, counted, make, thousands } from "./dom.js";

/** The overview of a level: the strip of sizes, and the groups with their clusters. */
export async function levelsView(element, source, state, levels) {
  const { head } = source;
  const strip = make("div", { class: "strip", "aria-hidden": "true" });
  const list = make("ol", { class: "contents" });
  const slider = make("input", { type: "range", id: "level", min: 0, max: levels.levels.length - 1, step: 1 });
  const text = make("output", { for: "level" });
  const control = make("div", { class: "controls level" }, make("label", { for: "level" }, "Coarser"), slider, make("span", { "aria-hidden": "true" }, "finer"), text);
  slider.value = String(levels.levels.indexOf(levels.usual));
  slider.addEventListener("input", () => {
    const level = levels.levels[Number(slider.value)];
    state.set({ level, groups: levels.at(level), pair: [0, 1] });
  });
  if (levels.levels.length > 1) element.append(control);
  element.append(strip, list);
  const choose = (group) => () => state.set({ selection: { kind: "group", group } });
  state.watch(["groups"], ({ groups: { groups, level } }) => {
    const usual = level === levels.usual;
    text.textContent = counted(groups.length, usual ? "cluster" : "group");
    slider.setAttribute("aria-valuetext", text.textContent);
    const filled = groups.map((group, at) => [group, at]).filter(([group]) => group.size);
    strip.replaceChildren(
      ...filled.map(([group, at]) =>
        make("button", { type: "button", tabindex: -1, hue: group.hue, css: { "flex-grow": String(group.size) }, title: `${group.label} · ${group.name}: ${counted(group.size, "document")}`, onclick: choose(at) }, make("span", {}, group.label)),
      ),
    );
    const row = (group, at) => {
      const inner = [chip(group), make("bdi", { class: "contents-name" }, group.name), make("span", { class: "contents-size" }, thousands(group.size))];
      const parts = !usual && group.clusters.length > 1 ? make("p", { class: "parts" }, ...group.clusters.flatMap((each) => [make("a", { class: "part", href: `#cluster-${head.clusters[each].number}`, hue: head.clusters[each].hue }, bdi(head.clusters[each].name)), " "])) : "";
      if (usual) return make("li", { class: group.size ? null : "empty" }, make("a", { href: `#cluster-${group.label}`, hue: group.hue }, ...inner));
      return make("li", {}, make("button", { type: "button", class: "contents-row", hue: group.hue, onclick: choose(at) }, ...inner), parts);
    };
    list.replaceChildren(...groups.map(row));
  });
  return true;
}
