// Small parts that several views use: messages, dialogs, fields.

import { make } from "./dom.js";
import { Refusal } from "./server.js";

let vanishing = 0;

/** Say something for a while, with something to do about it where there is. */
export function say(text, action = null) {
  const place = document.getElementById("toast");
  clearTimeout(vanishing);
  const button = action && make("button", { type: "button", onclick: () => (hide(), action.call()) }, action.name);
  const close = make("button", { type: "button", class: "close", "aria-label": "Dismiss this message", onclick: hide }, "×");
  place.replaceChildren(make("p", {}, text), button ?? "", close);
  vanishing = setTimeout(hide, 12000);
}

function hide() {
  document.getElementById("toast").replaceChildren();
}

/** Do something; what is refused is said. */
export async function attempt(call) {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof Refusal)) {
      say(`A fault of this page: ${error.message}`);
      throw error;
    }
    say(error.message);
    return undefined;
  }
}

/** A dialog with a form; resolves to what `read` gives when it is confirmed, else to null. */
export function ask(title, confirm, fields, read = () => true) {
  return new Promise((resolve) => {
    const heading = make("h2", { id: "dialog-title" }, title);
    const buttons = make(
      "div",
      { class: "dialog-buttons" },
      make("button", { type: "button", onclick: () => dialog.close() }, confirm ? "Cancel" : "Close"),
      confirm && make("button", { type: "submit", class: "main" }, confirm),
    );
    const form = make("form", { method: "dialog" }, heading, ...fields, buttons);
    const dialog = make("dialog", { "aria-labelledby": "dialog-title" }, form);
    let answer = null;
    form.addEventListener("submit", () => (answer = read()));
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

let n = 0;

/** A label and its field. */
export function field(label, input, hint = "") {
  const id = `field-${++n}`;
  input.id = id;
  const told = hint && make("span", { class: "hint", id: `${id}-hint` }, hint);
  if (told) input.setAttribute("aria-describedby", `${id}-hint`);
  return make("div", { class: "field" }, make("label", { for: id }, label), input, told);
}

export const option = (value, text, selected = false) => make("option", { value, selected }, text);

const ESTIMATES = [["auto", "what stands out"], ["few", "few, coarse themes"], ["many", "many, fine themes"]];

/** Fields for how to cluster, and a function that reads them. */
export function clusteringFields(methods, { method = "auto", offered = [] } = {}) {
  const numbers = make("datalist", { id: "offered-numbers" }, ...offered.map((k) => option(k, `${k}`)));
  const number = make("input", { type: "number", min: 1, max: 10000, placeholder: "estimated", inputmode: "numeric", list: offered.length ? "offered-numbers" : null });
  const estimate = make("select", {}, ...ESTIMATES.map(([value, text]) => option(value, text)));
  const told = offered.length ? `Leave it empty to have it estimated. ${offered.join(" and ")} stood out in the fit.` : "Leave it empty to have it estimated.";
  const estimated = field("If estimated", estimate);
  number.addEventListener("input", () => (estimate.disabled = number.value !== ""));
  const how = make("select", {}, ...methods.map((each) => option(each.name, `${each.name}: ${each.title}`, each.name === method)));
  return {
    fields: [make("div", {}, field("Number of clusters", number, told), numbers), estimated, field("Method", how)],
    read: () => ({ n_clusters: number.value ? Number(number.value) : estimate.value, method: how.value }),
  };
}
