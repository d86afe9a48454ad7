// Clusters, coarser and finer: the groups of a level and the group of each document.

import { NONE } from "./data.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

function letters(at) {
  return at < 26 ? LETTERS[at] : letters(Math.floor(at / 26) - 1) + LETTERS[at % 26];
}

/** The levels of a clustering; a level is named by its number of groups. */
export class Groups {
  constructor(head, arrays) {
    this.head = head;
    this.arrays = arrays;
    const n = head.clusters.length;
    this.usual = n;
    this.levels = [];
    const nJoins = head.tree.length - n;
    for (let k = Math.max(2, n - nJoins); k <= n; k++) this.levels.push(k);
    if (this.levels.length === 0) this.levels.push(n);
    if (head.halves.length > n) this.levels.push(head.halves.length);
    this.made = new Map();
  }

  /** `{groups, of}`: the groups of a level, and the position of each document's group. */
  at(level) {
    if (!this.made.has(level)) this.made.set(level, this.make(level));
    return this.made.get(level);
  }

  make(level) {
    if (level === this.usual) return this.fromNodes(this.head.clusters.map((_, i) => i), true);
    if (level > this.usual) return this.fromHalves();
    const { tree } = this.head;
    const gone = new Set();
    const nodes = [];
    for (let i = 0; i < this.usual + (this.usual - level); i++) {
      for (const part of tree[i].parts ?? []) gone.add(part);
      nodes.push(i);
    }
    const left = nodes.filter((i) => !gone.has(i)).sort((a, b) => tree[b].size - tree[a].size || a - b);
    return this.fromNodes(left, false);
  }

  fromNodes(nodes, usual) {
    const { clusters, tree, n_documents: nDocuments } = this.head;
    const position = new Map(clusters.map((cluster, i) => [cluster.number, i]));
    const groupOf = new Uint16Array(clusters.length).fill(NONE);
    const groups = nodes.map((node, at) => {
      const members = tree[node].clusters.map((number) => position.get(number));
      for (const member of members) groupOf[member] = at;
      const label = usual ? String(clusters[node].number) : letters(at);
      return this.group(label, tree[node].name, tree[node].size / Math.max(nDocuments, 1), tree[node].size, members);
    });
    return { level: groups.length, groups, of: this.arrays.cluster.map((cluster) => groupOf[cluster]) };
  }

  fromHalves() {
    const { halves, clusters, n_documents: nDocuments } = this.head;
    const seen = new Map();
    const groups = halves.map((half) => {
      const nth = seen.get(half.cluster) ?? 0;
      seen.set(half.cluster, nth + 1);
      const label = clusters[half.cluster].number + "abcdefgh"[nth];
      return this.group(label, half.name, half.size / Math.max(nDocuments, 1), half.size, [half.cluster]);
    });
    return { level: groups.length, groups, of: this.arrays.half };
  }

  /** A group of some clusters; its colour is that of the largest, its place their middle. */
  group(label, name, share, size, members) {
    const { clusters } = this.head;
    const first = clusters[Math.min(...members)];
    let [x, y, weight] = [0, 0, 0];
    for (const member of members) {
      const { size: mine } = clusters[member];
      x += clusters[member].x * (mine + 1);
      y += clusters[member].y * (mine + 1);
      weight += mine + 1;
    }
    const radius = Math.sqrt(members.reduce((sum, member) => sum + clusters[member].radius ** 2, 0));
    return { label, name, share, size, clusters: members, hue: first.hue, tone: Math.min(...members), x: x / weight, y: y / weight, radius };
  }
}

/** Whether a document might as well be in another cluster. */
export function isDoubtful(head, arrays, i) {
  if (arrays.second[i] === NONE) return false;
  const first = arrays.probability[i] / 65535;
  return first < head.likely || first - arrays.second_probability[i] / 65535 < head.close;
}
