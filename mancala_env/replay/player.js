"use strict";

// ---- data ----------------------------------------------------------------------------------------------------------

const page = JSON.parse(document.getElementById("data").textContent);

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackJson(text) {
  return JSON.parse(new TextDecoder().decode(await inflate(text)));
}

/** What page.py's packed_table packed: Int16Array of `lines` lines. */
async function unpackTable(lines, text) {
  const bytes = await inflate(text);
  const size = bytes.length / 2, width = size / lines;
  const table = new Int16Array(size);
  for (let k = 0; k < size; k++) {
    const folded = bytes[k] | (bytes[size + k] << 8);
    const change = folded & 1 ? -(folded + 1) / 2 : folded / 2;
    table[k] = change + (k >= width ? table[k - width] : 0);
  }
  return table;
}

const blocks = new Map();

/** The positions of a block, as `positions` has them. */
async function unpackBlock([lines, events, table, told, texts], { at }) {
  const [positions, moves, sentences] = await Promise.all(
    [unpackTable(lines, table), events ? unpackTable(events, told) : new Int16Array(), unpackJson(texts)]);
  let begun = 0;
  return Array.from({ length: lines }, (_, k) => {
    const row = positions.subarray(k * at.width, (k + 1) * at.width), ended = begun + 4 * row[at.events];
    Object.assign(row, { told: moves.subarray(begun, ended), text: sentences[k] });
    begun = ended;
    return row;
  });
}

/** All positions of a game, each an Int16Array laid out as `board.at` says, with what led to it: `told` and `text`. */
async function positions(place, board) {
  const [, block, first, count] = place;
  if (!blocks.has(block)) {
    if (blocks.size > 8) blocks.clear();
    blocks.set(block, unpackBlock(page.blocks[block], board));
  }
  return (await blocks.get(block)).slice(first, first + count);
}

let boards = [], games = [];

async function start() {
  boards = await unpackJson(page.boards);
  boards.forEach(readSpots);
  games = await unpackJson(page.games);
}

// ---- the player ----------------------------------------------------------------------------------------------------

/** Board, controls and moves of one game at a time, inside `root`. */
class Player {
  constructor(root, orientation = 0) {
    this.root = root;
    this.orientation = orientation;
    this.speed = 1;
    this.build();
  }

  build() {
    const button = (face, label, key, action, name = "") =>
      element("button", { type: "button", "aria-label": label, title: key ? `${label} (${key})` : label, class: name,
        onclick: action }, face);
    this.heading = element("h2");
    this.result = element("p");
    this.top = element("div", { class: "seat" });
    this.bottom = element("div", { class: "seat" });
    this.stage = element("div");
    this.says = element("p", { class: "says", "aria-live": "polite" });
    this.slider = element("input", { type: "range", min: 0, step: 1, value: 0, "aria-label": "Position",
      oninput: () => this.go(Number(this.slider.value)) });
    this.where = element("span", { class: "where" });
    this.goButton = button("Play", "Play", "space", () => this.toggle(), "go");
    this.pace = element("select", { "aria-label": "Speed", title: "Speed",
      onchange: () => { this.speed = Number(this.pace.value); } },
    ...[0.5, 1, 2, 4].map((speed) => element("option", { value: speed, ...(speed === 1 ? { selected: "" } : {}) },
      `${speed}×`)));
    this.graph = drawn("svg", { class: "graph", viewBox: "0 0 600 88", preserveAspectRatio: "none", "aria-hidden": "true",
      onclick: (event) => this.pickInGraph(event) });
    this.graphLabel = element("p", { class: "quiet graph-label" });
    this.list = element("ol", { "aria-label": "Moves" });
    this.root.classList.add("player");
    this.root.replaceChildren(
      element("header", {}, this.heading, this.result, element("div", { class: "tools" },
        button("Turn board", "Turn the board round", "f", () => this.flip()),
        ...(page.themed ? [] : [button("Light / dark", "Change between light and dark", "", toggleTheme)]))),
      element("div", { class: "table" }, this.top, this.stage, this.bottom, this.says,
        element("div", { class: "controls" },
          button(icon("M5 4v12M16 4 7 10l9 6z"), "First position", "home", () => this.go(0)),
          button(icon("M14 4 5 10l9 6z"), "One move back", "left", () => this.back()),
          this.goButton,
          button(icon("M6 4l9 6-9 6z"), "One move on", "right", () => this.step()),
          button(icon("M15 4v12M4 4l9 6-9 6z"), "Last position", "end", () => this.go(this.last)),
          this.slider, this.where, this.pace),
        this.graph, this.graphLabel),
      element("aside", { class: "moves" }, element("h3", {}, "Moves"), this.list));
  }

  get last() {
    return this.rows.length - 1;
  }

  /** Show a game: {title, players, result, values, place}. */
  async load(game) {
    this.pause();
    const board = boards[game.place[0]];
    const asked = this.asked = {};
    const rows = await positions(game.place, board);
    if (asked !== this.asked) return; // another game was chosen meanwhile
    Object.assign(this, { game, board, rows, ply: 0 });
    this.heading.textContent = game.title;
    this.result.textContent = game.result;
    this.slider.max = this.last;
    this.draw();
    this.listMoves();
    this.drawGraph();
    this.go(0);
  }

  draw() {
    this.picture = new Picture(this.board, this.orientation);
    this.stage.replaceChildren(this.picture.svg);
  }

  flip() {
    this.orientation = 1 - this.orientation;
    this.draw();
    this.go(this.ply);
  }

  go(ply) {
    this.pause();
    this.settle(Math.max(0, Math.min(this.last, ply)));
  }

  back() {
    this.go(this.ply - 1);
  }

  step() {
    this.pause();
    if (this.ply < this.last) this.move();
  }

  toggle() {
    if (this.playing) { this.go(this.ply); return; }
    if (this.ply === this.last) this.settle(0);
    this.playing = true;
    this.goButton.textContent = "Pause";
    this.goButton.setAttribute("aria-label", "Pause");
    this.move();
  }

  /** Stop whatever moves; a move that is under way is over at once. */
  pause() {
    clearTimeout(this.timer);
    this.playing = false;
    this.goButton.textContent = "Play";
    this.goButton.setAttribute("aria-label", "Play");
    if (this.stop) {
      this.stop();
      this.stop = null;
      this.settle(this.ply);
    }
  }

  /** One move on, seed by seed. `ply` is where it leads as soon as it begins. */
  move() {
    const before = this.rows[this.ply], after = this.rows[this.ply + 1];
    const events = trace(this.board, before, after);
    this.ply += 1;
    if (calm.matches || !events.length) { this.arrived(); return; }
    this.mark("moving");
    this.picture.show(before, [], false, after[this.board.at.played]);
    this.stop = animate(this.picture, before, events, this.speed, () => {
      this.stop = null;
      this.arrived();
    });
  }

  arrived() {
    this.settle(this.ply);
    if (!this.playing) return;
    if (this.ply === this.last) this.pause();
    else this.timer = setTimeout(() => this.move(), (calm.matches ? 1100 : 450) / this.speed);
  }

  /** Show the position of a ply, at rest. */
  settle(ply) {
    this.ply = ply;
    const row = this.rows[ply];
    const { events, played } = shownMove(this.board, this.rows[ply - 1], row);
    this.over = ply === this.last && this.game.result !== "not finished";
    this.picture.show(row, capturedCells(events), this.over, played, stepsOf(this.board, events), this.seeds(ply));
    const told = this.told(ply);
    if (this.says.textContent !== told) this.says.textContent = told;
    this.mark("still");
  }

  /** Slider, lists and names follow the ply. */
  mark(state) {
    const { ply, last } = this;
    this.root.dataset.ply = ply;
    this.root.dataset.state = state;
    this.slider.value = ply;
    this.slider.setAttribute("aria-valuetext", ply ? `after move ${ply} of ${last}` : "before the first move");
    this.where.textContent = `${ply} / ${last}`;
    const shown = state === "moving" ? ply - 1 : ply;
    this.seat(this.top, 1 - this.orientation, shown);
    this.seat(this.bottom, this.orientation, shown);
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.list.querySelector(`[data-ply="${ply}"]`);
    current?.setAttribute("aria-current", "true");
    this.keepInView(current);
    this.drawNow();
  }

  keepInView(button) {
    if (!button) { this.list.scrollTop = 0; return; }
    const { offsetTop, offsetHeight } = button, { scrollTop, clientHeight } = this.list;
    if (offsetTop < scrollTop) this.list.scrollTop = offsetTop - offsetHeight;
    else if (offsetTop + offsetHeight > scrollTop + clientHeight) {
      this.list.scrollTop = offsetTop + 2 * offsetHeight - clientHeight;
    }
  }

  /** What lies in the cells: at the end, what it is after the final collection. */
  seeds(ply) {
    const [, , , , final] = this.game.place;
    return ply === this.last && final ? final : this.rows[ply];
  }

  seat(node, player, ply) {
    const { board } = this, row = this.rows[ply];
    if (player >= board.players) {
      node.replaceChildren();
      return;
    }
    const moves = !this.over && row[board.at.mover] === player;
    const score = scoreOf(board, row, this.seeds(ply), player) || (moves ? "to move" : "");
    node.classList.toggle("to-move", moves);
    node.replaceChildren(element("b", {}, this.game.players[player]),
      ...(this.game.players[player] === PLAYERS[player] ? [] : [element("span", { class: "quiet" }, PLAYERS[player])]),
      element("span", { class: "score" }, score));
  }

  name(ply) {
    return moveName(this.board, this.rows[ply]);
  }

  gameNumber(ply) {
    return gameOf(this.board, this.rows[ply]);
  }

  /** The games of a match that ended with this move: [ply, in short, all of it]. */
  ends(ply) {
    const [, , , , , ends] = this.game.place;
    return ends.filter(([at]) => at === ply);
  }

  told(ply) {
    const { board, rows } = this, row = rows[ply], parts = [];
    if (ply) {
      parts.push(`${ply}. ${row.text}`);
      for (const [, , told] of this.ends(ply)) parts.push(told.replace(/\.$/, ""));
    }
    parts.push(this.over ? `Over: ${this.game.result}` : `${PLAYERS[row[board.at.mover]]} to move`);
    if (board.tally) {
      const [south, north] = [1, 2].map((k) => row[board.at.match + 1 + k] / board.tallyScale);
      parts.push(`Game ${this.gameNumber(ply)}: South ${south}, North ${north} ${board.tally}`);
    }
    const due = board.at.pending;
    if (due !== undefined && row[due] === 1) parts.push(`to pick: ${row[due + 1]}`);
    if (due !== undefined && row[due] === 2) parts.push(`${board.names[row[due + 2]]} is sown on, or not`);
    if (due !== undefined && row[due] === 3) parts.push(`to choose: the end for what is across from ${board.names[row[due + 2]]}`);
    if (due !== undefined && row[due] === 4) parts.push(`to choose: the direction from ${board.names[row[due + 2]]}`);
    const hands = board.at.reserve;
    if (hands !== undefined) parts.push(`In hand: South ${row[hands]}, North ${row[hands + 1]}`);
    const owed = board.at.debt === undefined ? 0 : row[board.at.debt];
    if (owed !== 0) parts.push(`${owed > 0 ? "South" : "North"} owes ${plural(Math.abs(owed))}`);
    if (board.at.removed !== undefined) parts.push(`${plural(row[board.at.removed])} removed`);
    return parts.map((part) => `${part}.`).join(" ");
  }

  /** Moves in a table of two columns; several moves of one player in a row share a cell. */
  listMoves() {
    const { board, rows } = this, lines = [];
    let cells = null, shown = 0;
    for (let ply = 1; ply <= this.last; ply++) {
      const mover = rows[ply - 1][board.at.mover];
      for (const [, short] of this.ends(ply - 1)) {
        lines.push(element("li", { class: "new" }, short));
        cells = null;
      }
      if (!cells || (mover === 0 && cells[1].childNodes.length)) {
        cells = [element("span"), element("span")];
        shown += 1;
        lines.push(element("li", {}, element("span", {}, String(shown)), ...cells));
      }
      cells[mover].append(element("button", { type: "button", "data-ply": ply, onclick: () => this.go(ply),
        "aria-label": `Move ${ply}: ${PLAYERS[mover]} ${this.name(ply)}` }, this.name(ply)));
    }
    this.list.replaceChildren(...lines);
  }

  /** What is drawn under the board: the values given, else the lead in the stores. */
  curve() {
    const { board, rows, game } = this;
    if (game.values) return [game.values, "Evaluation, South's side up"];
    if (!board.hasStores || board.tally) return [null, ""];
    const stores = rows.map((_, ply) => this.seeds(ply));
    return [stores.map((seeds) => seeds[board.pits] - seeds[board.pits + 1]), board.players === 1 ? "Seeds in the store" : "South's lead in the stores"];
  }

  drawGraph() {
    const [values, label] = this.curve();
    const known = values?.filter((value) => value !== null) ?? [];
    this.graph.style.display = this.graphLabel.style.display = known.length > 1 ? "" : "none";
    this.graphNow = null;
    if (known.length < 2) return;
    const most = Math.max(...known.map(Math.abs), 1e-9);
    let line = "", pen = "M";
    values.forEach((value, ply) => {
      if (value === null) { pen = "M"; return; }
      line += `${pen}${this.graphX(ply).toFixed(1)} ${(50 - 34 * value / most).toFixed(1)}`;
      pen = "L";
    });
    const still = { "vector-effect": "non-scaling-stroke" };
    this.graphNow = drawn("line", { class: "now", y1: 14, y2: 86, ...still });
    this.graph.replaceChildren(drawn("line", { class: "zero", x1: 0, x2: 600, y1: 50, y2: 50, ...still }),
      drawn("path", { class: "line", d: line, ...still }), this.graphNow);
    this.graphLabel.textContent = `${label}; the scale reaches ${Number(most.toPrecision(3))} either way`;
  }

  graphX(ply) {
    return 600 * ply / Math.max(1, this.last);
  }

  drawNow() {
    if (!this.graphNow) return;
    this.graphNow.setAttribute("x1", this.graphX(this.ply));
    this.graphNow.setAttribute("x2", this.graphX(this.ply));
  }

  pickInGraph(event) {
    const { left, width } = this.graph.getBoundingClientRect();
    this.go(Math.round((event.clientX - left) / width * this.last));
  }

  key(event) {
    const keys = { ArrowLeft: () => this.back(), ArrowRight: () => this.step(), Home: () => this.go(0),
      End: () => this.go(this.last), " ": () => this.toggle(), f: () => this.flip() };
    const on = event.target.closest?.("input, select, textarea, button, a, summary");
    const typed = on && (!on.matches("button, a, summary") || event.key === " ");
    const slid = on?.matches("input[type=range]") && event.key === " ";
    if (!keys[event.key] || (typed && !slid) || event.ctrlKey || event.metaKey || event.altKey || !this.rows) return;
    event.preventDefault();
    keys[event.key]();
  }
}

function icon(path) {
  return drawn("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, drawn("path", { d: path }));
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

/** The page of player_html: a player, and a choice where there are several games. */
async function showGames() {
  const root = document.getElementById("page"), place = element("section", { "aria-label": "Replay" });
  const player = new Player(place, page.orientation);
  document.addEventListener("keydown", (event) => player.key(event));
  if (games.length > 1) {
    const choice = element("select", { id: "choice", onchange: () => player.load(games[Number(choice.value)]) },
      ...games.map((game, k) => element("option", { value: k },
        `${k + 1}. ${game.title}: ${game.players.join(" – ")}, ${game.result}`)));
    root.append(element("div", { class: "pick" }, element("label", { for: "choice" }, "Game"), choice));
  }
  root.append(place);
  await player.load(games[0]);
}
