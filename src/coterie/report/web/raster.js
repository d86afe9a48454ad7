// Points as pixels: discs where they are few, density where they are many.

const DENSE = 60_000; // points on screen from which density is drawn
const CELL = 2; // pixels of a cell of density

/** Offsets and opacities of the pixels of a disc. */
function disc(radius, width) {
  const pixels = [];
  const reach = Math.ceil(radius);
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) {
      const cover = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(dx, dy)));
      if (cover > 0) pixels.push({ dx, offset: dy * width + dx, cover });
    }
  }
  return { pixels, reach };
}

export class Raster {
  constructor(canvas) {
    this.context = canvas.getContext("2d", { alpha: false });
  }

  /**
   * Draw points: `x`, `y` (0 to 65535), the colour of each by `of`, moved by `view`
   * ({scale, left, top}, in pixels); those with a 1 in `marked` stand out. Returns how many are
   * on screen, and whether density was drawn.
   */
  draw({ x, y, of, colours, paper, marked, order }, view, radius) {
    const { width, height } = this.context.canvas;
    if (this.image?.width !== width || this.image?.height !== height) this.image = this.context.createImageData(width, height);
    const pixels = this.image.data;
    new Uint32Array(pixels.buffer).fill((255 << 24) | (paper[2] << 16) | (paper[1] << 8) | paper[0]);
    const step = view.scale / 65535;
    let onScreen = 0;
    for (let i = 0; i < x.length; i++) {
      const px = x[i] * step + view.left;
      const py = y[i] * step + view.top;
      if (px >= 0 && py >= 0 && px < width && py < height) onScreen++;
    }
    const dense = onScreen > DENSE;
    if (dense) this.density({ x, y, of, colours, paper, marked }, view, step);
    else {
      if (marked) this.discs({ x, y, of, colours, marked, order }, view, step, radius, 0, 0.12);
      this.discs({ x, y, of, colours, marked, order }, view, step, marked ? radius * 1.25 : radius, 1, 0.8);
    }
    this.context.putImageData(this.image, 0, 0);
    return { onScreen, dense };
  }

  discs({ x, y, of, colours, marked, order }, view, step, radius, wanted, opacity) {
    const { width, height, data } = this.image;
    const { pixels, reach } = disc(radius, width);
    for (let k = 0; k < x.length; k++) {
      const i = order ? order[k] : k;
      if (marked && marked[i] !== wanted) continue;
      const px = Math.round(x[i] * step + view.left);
      const py = Math.round(y[i] * step + view.top);
      if (px < reach || py < reach || px >= width - reach || py >= height - reach) continue;
      const [red, green, blue] = colours[of[i]];
      const middle = py * width + px;
      for (const { offset, cover } of pixels) {
        const at = 4 * (middle + offset);
        const share = opacity * cover;
        data[at] += (red - data[at]) * share;
        data[at + 1] += (green - data[at + 1]) * share;
        data[at + 2] += (blue - data[at + 2]) * share;
      }
    }
  }

  density({ x, y, of, colours, paper, marked }, view, step) {
    const { width, height, data } = this.image;
    const columns = Math.ceil(width / CELL);
    const rows = Math.ceil(height / CELL);
    const sums = new Float32Array(4 * columns * rows);
    const palette = Float32Array.from(colours.flat());
    const { left, top } = view;
    let most = 0;
    for (let i = 0; i < x.length; i++) {
      if (marked !== null && marked[i] === 0) continue;
      const px = x[i] * step + left;
      const py = y[i] * step + top;
      if (px < 0 || py < 0 || px >= width || py >= height) continue;
      const at = 4 * (((py / CELL) | 0) * columns + ((px / CELL) | 0));
      const from = 3 * of[i];
      sums[at] += palette[from];
      sums[at + 1] += palette[from + 1];
      sums[at + 2] += palette[from + 2];
      if (++sums[at + 3] > most) most = sums[at + 3];
    }
    const shares = Float32Array.from({ length: most + 1 }, (_, n) => 0.25 + (0.75 * Math.log1p(n)) / Math.log1p(most));
    const pixels = new Uint32Array(data.buffer);
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const from = 4 * (row * columns + column);
        const n = sums[from + 3];
        if (n === 0) continue;
        const share = shares[n];
        const red = paper[0] + (sums[from] / n - paper[0]) * share;
        const green = paper[1] + (sums[from + 1] / n - paper[1]) * share;
        const blue = paper[2] + (sums[from + 2] / n - paper[2]) * share;
        const pixel = (255 << 24) | ((blue | 0) << 16) | ((green | 0) << 8) | (red | 0);
        const [endY, endX] = [Math.min(height, (row + 1) * CELL), Math.min(width, (column + 1) * CELL)];
        for (let py = row * CELL; py < endY; py++) for (let px = column * CELL; px < endX; px++) pixels[py * width + px] = pixel;
      }
    }
  }
}
