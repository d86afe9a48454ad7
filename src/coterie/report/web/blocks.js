// Documents by words as two pictures: as they came, and in the order of the clusters.

import { bdi, chip, make, thousands } from "./dom.js";
import { isDark, paperColour, whenColoursChange } from "./colours.js";

function drawCells(canvas, cells, { rows, columns, row_ends: rowEnds, column_ends: columnEnds }, lines) {
  const [width, height] = [720, 480];
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  const dark = isDark();
  const paper = paperColour();
  const ink = dark ? [150, 215, 228] : [20, 82, 98];
  const small = new OffscreenCanvas(columns, rows);
  const image = new ImageData(columns, rows);
  cells.forEach((cell, at) => {
    for (let c = 0; c < 3; c++) image.data[4 * at + c] = paper[c] + ((ink[c] - paper[c]) * cell) / 255;
    image.data[4 * at + 3] = 255;
  });
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, width, height);
  if (!lines) return;
  context.strokeStyle = dark ? "rgb(255 190 120)" : "rgb(190 90 20)";
  context.lineWidth = 1.5;
  context.beginPath();
  for (const end of rowEnds.slice(0, -1)) {
    context.moveTo(0, (end * height) / rows);
    context.lineTo(width, (end * height) / rows);
  }
  for (const end of columnEnds.slice(0, -1)) {
    context.moveTo((end * width) / columns, 0);
    context.lineTo((end * width) / columns, height);
  }
  context.stroke();
}

/** The block picture of a model that clusters words too. */
export async function blocksView(element, source) {
  const { head } = source;
  if (!head.blocks) return false;
  const arrays = await source.arrays();
  const picture = (name, title, label) => {
    const canvas = make("canvas", { role: "img", "aria-label": label });
    const draw = () => drawCells(canvas, arrays[name], head.blocks, name === "after");
    draw();
    whenColoursChange(element, draw);
    return make("figure", { class: "block-picture" }, make("figcaption", {}, title), canvas);
  };
  const clusters = head.clusters.map((each) => ({ label: String(each.number), hue: each.hue, name: each.name }));
  element.append(
    make("p", { class: "about" }, "Rows are documents, columns are words; the darker, the more of the documents have the words. The second picture has both in the order of their clusters, with a line after each."),
    make(
      "div",
      { class: "block-pictures" },
      picture("before", "As they came", "Documents by words in the order they came in."),
      picture("after", "By clusters", `The same in ${clusters.length} clusters of documents and ${head.word_clusters.length} clusters of words.`),
    ),
    make(
      "div",
      { class: "block-names" },
      make("div", {}, make("h3", {}, "Rows, from the top"), make("ol", {}, ...clusters.map((each) => make("li", {}, chip(each), " ", bdi(each.name))))),
      make(
        "div",
        {},
        make("h3", {}, "Columns, from the left"),
        make("ol", {}, ...head.word_clusters.map((each) => make("li", {}, make("b", {}, String(each.number)), " ", bdi(each.name), make("span", { class: "muted" }, ` ${thousands(each.n_words)} words`)))),
      ),
    ),
  );
  return true;
}
