// ---- a game to look at ---------------------------------------------------------------------------------------------

// What the player of replays and the board to play on have in common: a board with the seats beside it, the list of
// moves, steps through them, the lead as a chart, and the ends of games.

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const LEAST_PIT = 40; // CSS pixels across, of what can be touched: boards with more pits than the screen has room for scroll
const FINGER = 44; // where rows would have smaller pits than this on a phone that is held upright, so is the board
const phone = matchMedia("(max-width: 560px) and (orientation: portrait)");
const LEAST_SCALE = 5; // seeds that a chart reaches at least, so that the first one is no mountain
const PAUSE = 1400; // milliseconds between the end of a game and the board of the next, where nobody has to press a key

function icon(path) {
  return drawn("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, drawn("path", { d: path }));
}

/** Let the person keep a text as a file. */
function download(name, text, type) {
  const link = element("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Is the page around a place dark, by its own theme or the system's? */
function isDark(place) {
  const theme = place.closest("[data-theme]")?.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function toggleThemeOf(place) {
  place.dataset.theme = isDark(place) ? "light" : "dark";
}

function toggleTheme() {
  toggleThemeOf(document.documentElement);
}

/** What carries the seeds that are left to their owners when a game ends; [] where pits alone do not say whose they are. */
function sweepEvents(board, row, final) {
  const { pits } = board, left = [...Array(pits).keys()].filter((pit) => row[pit] > 0 && final[pit] === 0);
  const gains = [0, 1].map((player) => (final[pits + player] ?? 0) - row[pits + player]);
  const owners = board.at.owner === undefined ? board.owner : row.slice(board.at.owner, board.at.owner + pits);
  const marks = board.at.marks === undefined ? [] : row.slice(board.at.marks, board.at.marks + pits);
  const heir = (pit) => (gains[0] && gains[1] ? (marks[pit] >= 0 ? marks[pit] : owners[pit]) : gains[1] ? 1 : 0);
  const events = left.map((pit) => ({ kind: "carry", source: pit, target: pits + heir(pit), seeds: row[pit] }));
  const given = [0, 1].map((player) => events.filter(({ target }) => target === pits + player).reduce((sum, { seeds }) => sum + seeds, 0));
  return events.length && given.every((sum, player) => sum === gains[player]) ? events : [];
}

/** A picture of a board that fingers can touch. */
function fitting(board, orientation) {
  const view = board.views[orientation], { pit, tile } = board.measures, share = pit + tile[0];
  const upright = phone.matches && view.width > 2 * view.height && share * innerWidth / view.width < FINGER + 2;
  const picture = new Picture(board, orientation, upright), least = (upright ? FINGER : LEAST_PIT) / share, [width, height] = picture.size;
  Object.assign(picture.svg.style, { minWidth: `${Math.ceil(least * width)}px`, minHeight: `${Math.ceil(least * height)}px` });
  return picture;
}

/**
 * A game inside `root`. Who extends it sets `board` and `rows` (positions, each with what led to it: `told`, `text`),
 * and says how it stands: `players`, `isOver(ply)`, `seeds(ply)`, `ends`, `told(ply)`, `values`.
 */
class Viewer {
  constructor(root, heading = "h2") {
    this.root = root;
    this.orientation = 0; // the player who sits below
    this.speed = 1;
    this.parts(heading);
    this.build();
  }

  button(face, label, key, action, name = "") {
    return element("button", { type: "button", ...(label ? { "aria-label": label } : {}), ...(key ? { title: `${label || face} (${key})` } : {}),
      ...(name ? { class: name } : {}), onclick: action }, face);
  }

  /** All that both kinds of page are put together from. */
  parts(heading) {
    const button = (...parts) => this.button(...parts);
    this.heading = element(heading, { class: "title" }, "Mancala");
    this.top = element("div", { class: "seat" });
    this.bottom = element("div", { class: "seat" });
    this.stage = element("div", { class: "stage", tabindex: 0, role: "group", "aria-label": "Board" });
    this.says = element("p", { class: "says", role: "status", "aria-live": "polite" });
    this.slider = element("input", { type: "range", min: 0, step: 1, value: 0, "aria-label": "Position",
      oninput: () => this.go(Number(this.slider.value)) });
    this.where = element("span", { class: "where" });
    this.steps = [
      button(icon("M5 4v12M16 4 7 10l9 6z"), "First position", "home", () => this.go(0)),
      button(icon("M14 4 5 10l9 6z"), "One move back", "left", () => this.back()),
      button(icon("M6 4l9 6-9 6z"), "One move on", "right", () => this.step()),
      button(icon("M15 4v12M4 4l9 6-9 6z"), "Last position", "end", () => this.go(this.last)),
    ];
    this.graph = drawn("svg", { class: "graph", viewBox: "0 0 600 88", preserveAspectRatio: "none", "aria-hidden": "true",
      onclick: (event) => this.pickInGraph(event) });
    this.graphLabel = element("p", { class: "quiet graph-label" });
    this.list = element("ol", { "aria-label": "Moves", tabindex: 0 });
    phone.addEventListener("change", async () => {
      await this.resting;
      if (this.picture && this.root.isConnected) this.turn();
    });
    this.root.classList.add("player");
  }

  get last() {
    return this.rows.length - 1;
  }

  /** Lay out the board anew, as for another game or another side. */
  draw() {
    const { board, orientation } = this;
    this.picture = fitting(board, orientation);
    this.root.classList.toggle("deep", board.views[orientation].height > 5); // more than two rows
    this.stage.replaceChildren(this.picture.svg);
    this.stage.scrollLeft = (this.stage.scrollWidth - this.stage.clientWidth) / 2;
  }

  // ---- steps ----

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

  /** Stop whatever moves; a move that is under way is over at once. */
  pause() {
    clearTimeout(this.timer);
    if (!this.stop) return;
    this.stop();
    this.stop = null;
    this.settle(this.ply);
  }

  /** One move on, seed by seed. `ply` is where it leads as soon as it begins. */
  move() {
    this.ply += 1;
    this.mark("moving");
    this.animated(this.ply, () => this.arrived());
  }

  arrived() {
    this.settle(this.ply);
  }

  /** Sow the move that leads to a ply, sweep the board if that ended a game, then `done`; `stop` ends it. */
  animated(ply, done) {
    const before = this.rows[ply - 1], events = trace(this.board, before, this.rows[ply]);
    if (calm.matches || document.hidden) {
      done();
      return;
    }
    this.picture.show(before, [], false, this.rows[ply][this.board.at.played]);
    const swept = () => this.swept(ply, done);
    if (events.length) this.stop = animate(this.picture, before, events, this.speed, () => { this.stop = null; swept(); });
    else swept();
  }

  /** Carry what is left on the board to its owners. */
  swept(ply, done) {
    const board = this.endedBoard(ply), events = board ? sweepEvents(this.board, board.row, board.seeds) : [];
    if (!events.length) {
      done();
      return;
    }
    this.picture.show(board.row, [], true, NO_MOVE);
    this.stop = animate(this.picture, Int16Array.from(board.row), events, this.speed, () => {
      this.picture.show(board.row, [], true, NO_MOVE, [], board.seeds);
      this.timer = setTimeout(() => { this.stop = null; done(); }, PAUSE / this.speed);
      this.stop = () => clearTimeout(this.timer);
    });
  }

  /** The board on which the move to a ply ended a game: its row, and the seeds when those left are swept; or null. */
  endedBoard(ply) {
    const end = this.endsAt(ply).find(([, , , row]) => row);
    if (end) return { row: end[3], seeds: end[4] };
    const seeds = this.seeds(ply);
    return this.isOver(ply) && seeds !== this.rows[ply] ? { row: Array.from(this.rows[ply]), seeds } : null;
  }

  /** The games of a match that ended with this move: [ply, in short, all of it, the board, its seeds]. */
  endsAt(ply) {
    return this.ends.filter(([at]) => at === ply);
  }

  /** Show the position of a ply, at rest. */
  settle(ply) {
    this.ply = ply;
    const row = this.rows[ply];
    const { events, played } = shownMove(this.board, this.rows[ply - 1], row);
    this.picture.show(row, capturedCells(events), this.isOver(ply), played, stepsOf(this.board, events), this.seeds(ply));
    this.tell(this.told(ply));
    this.mark("still");
  }

  /** Say something; what stands before the first colon of an end is its result. */
  tell(text, ended = false) {
    if (this.says.textContent === text && this.says.classList.contains("ended") === ended) return;
    const [, result, rest] = ended ? /^(?:Game \d+ is over\. )?([^:]*)(:.*)$/s.exec(text) ?? [] : [];
    const at = result ? text.indexOf(result) : 0;
    this.says.replaceChildren(...(result ? [text.slice(0, at), element("b", {}, result), rest] : [text]));
    this.says.classList.toggle("ended", ended);
  }

  /** Slider, lists and names follow the ply. */
  mark(state) {
    const { ply, last } = this;
    this.root.dataset.ply = ply;
    this.root.dataset.state = state;
    this.slider.max = last;
    this.slider.value = ply;
    this.slider.setAttribute("aria-valuetext", ply ? `after move ${ply} of ${last}` : "before the first move");
    this.where.textContent = `${ply} / ${last}`;
    this.showSeats(state === "moving" ? ply - 1 : ply);
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

  // ---- seats, moves, chart ----

  showSeats(ply, row = this.rows[ply], seeds = this.seeds(ply), over = this.isOver(ply)) {
    for (const [node, player] of [[this.top, 1 - this.orientation], [this.bottom, this.orientation]]) {
      if (player >= this.board.players) {
        node.replaceChildren();
        continue;
      }
      const moves = !over && row[this.board.at.mover] === player, name = this.players[player];
      node.classList.toggle("to-move", moves);
      node.replaceChildren(element("b", {}, name), ...(name === PLAYERS[player] || this.board.players === 1 ? [] : [element("span", { class: "quiet" }, PLAYERS[player])]),
        element("span", { class: "score" }, scoreOf(this.board, row, seeds, player) || (moves ? "to move" : "")));
    }
  }

  name(ply) {
    return moveName(this.board, this.rows[ply]);
  }

  /** Moves in a table of two columns; several moves of one player in a row share a cell. */
  listMoves() {
    const { board, rows } = this, lines = [];
    let cells = null;
    for (let ply = 1; ply <= this.last; ply++) {
      const mover = rows[ply - 1][board.at.mover];
      if (!cells || (mover === 0 && cells[1].childNodes.length)) {
        cells = [element("span"), element("span")];
        lines.push(element("li", {}, ...cells));
      }
      cells[mover].append(this.listed(ply, PLAYERS[mover]), " ");
      for (const [, short] of this.endsAt(ply)) {
        lines.push(element("li", { class: "new" }, short));
        cells = null;
      }
    }
    this.list.replaceChildren(...lines);
  }

  /** A move in the list, with the number that it has everywhere. */
  listed(ply, mover, sign = "", more = "") {
    return element("button", { type: "button", "data-ply": ply, onclick: () => this.go(ply),
      "aria-label": `Move ${ply}: ${mover} ${this.name(ply)}${more}` }, `${this.name(ply)}${sign}`);
  }

  /** What is drawn under the board: the values given, else the lead in the stores; the least that its scale reaches, of what. */
  curve() {
    const { board, rows, values } = this;
    if (values) return [values, "Evaluation, South's side up", this.unit ? LEAST_SCALE : 0, this.unit ?? ""];
    if (!board.hasStores || board.tally) return [null, ""];
    const stores = rows.map((_, ply) => this.seeds(ply));
    return [stores.map((seeds) => seeds[board.pits] - seeds[board.pits + 1]), board.players === 1 ? "Seeds in the store" : "South's lead in the stores",
      LEAST_SCALE, " seeds"];
  }

  drawGraph() {
    const [values, label, least, unit] = this.curve();
    const known = values?.filter((value) => value !== null) ?? [];
    this.graph.style.display = this.graphLabel.style.display = known.length > 1 ? "" : "none";
    this.graphNow = null;
    if (known.length < 2) return;
    const most = Math.max(...known.map(Math.abs), least) || 1;
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
    this.graphLabel.textContent = `${label}; the scale reaches ${Number(most.toPrecision(3))}${unit} either way`;
    this.drawNow();
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

  // ---- the page around ----

  flip() {
    this.orientation = 1 - this.orientation;
    this.turn();
  }

  /** The same position on a board that is laid out anew. */
  turn() {
    this.draw();
    this.go(this.ply);
  }

  toggleTheme() {
    toggleThemeOf(this.root.closest("[data-theme]") ?? (this.root.closest("main") ? document.documentElement : this.root));
  }

  /** Arrow keys, home and end. Returns whether the key was one of them. */
  stepKey(event, more = {}) {
    const keys = { ArrowLeft: () => this.back(), ArrowRight: () => this.step(), Home: () => this.go(0),
      End: () => this.go(this.last), ...more };
    const on = event.target.closest?.("input, select, textarea, button, a, summary");
    const typed = on && (!on.matches("button, a, summary") || event.key === " ");
    const slid = on?.matches("input[type=range]") && event.key === " ";
    if (!keys[event.key] || (typed && !slid) || event.ctrlKey || event.metaKey || event.altKey || !this.rows) return false;
    event.preventDefault();
    keys[event.key]();
    return true;
  }
}
