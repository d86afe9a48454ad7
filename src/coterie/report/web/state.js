// What is chosen at the moment, and who wants to know when it changes.
//
//   level      number of groups, from 2 up; `groups` are those of the level
//   selection  null, or the documents that the list shows:
//              {kind: "search", query} | {kind: "group", group} | {kind: "word", at, group}
//              | {kind: "lasso", documents} | {kind: "doubtful"} | {kind: "all"}
//   marked     null, or a Uint8Array with 1 for the documents of the selection, for the map
//   colour     "group", "probability", or the position of a column
//   pair       two positions in `groups`, to compare

export class State {
  constructor(values) {
    this.values = values;
    this.watchers = [];
  }

  get(name) {
    return this.values[name];
  }

  /** Change some values, and tell those that watch one of them. */
  set(changes) {
    const changed = Object.keys(changes).filter((name) => this.values[name] !== changes[name]);
    Object.assign(this.values, changes);
    for (const { names, call } of this.watchers) {
      if (names.some((name) => changed.includes(name))) call(this.values);
    }
  }

  /** Call now, and after each change of one of these values. */
  watch(names, call) {
    this.watchers.push({ names, call });
    call(this.values);
  }
}
