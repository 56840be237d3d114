// ---- a board to play on --------------------------------------------------------------------------------------------

const PACE = 1.6; // how fast seeds are sown, relative to the replay's usual speed
const NO_VALUES = "", SEARCH = "hint", OPPONENT = "opinion";
const WAYS = { "+": "counter-clockwise", "-": "clockwise" };
const MANY = 20; // more games than this are found by a part of their name

/**
 * A game against an agent, inside `root`. `ask(request)` resolves to the answer of api.py, or throws an Error with
 * `stale` or `gone` set if the game is not the one on the page.
 * `choices` are {games, opponents, first} for new games, the opponents by game; null if no other game can be begun.
 */
class Table {
  constructor(root, ask, choices = null) {
    this.root = root;
    this.ask = ask;
    this.choices = choices;
    this.rows = [];
    this.busy = false;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.build();
  }

  build() {
    const button = (face, action, name = "") =>
      element("button", { type: "button", class: name, onclick: action }, face);
    this.heading = element("h2");
    this.top = element("div", { class: "seat" });
    this.bottom = element("div", { class: "seat" });
    this.stage = element("div", { class: "stage" });
    this.says = element("p", { class: "says", role: "status" });
    this.story = element("p", { class: "story quiet" });
    this.thought = element("p", { class: "thought" });
    this.list = element("ol", { "aria-label": "Moves", tabindex: 0 });
    this.pass = button("Pass", () => this.choosePass(), "go");
    this.ways = element("span", { class: "ways", role: "group", "aria-label": "Direction" });
    this.hintButton = button("Hint", () => this.hint());
    this.undoButton = button("Undo", () => this.go("undo"));
    this.redoButton = button("Redo", () => this.go("redo"));
    this.values = element("select", { "aria-label": "Values", onchange: () => this.rest() }, element("option", { value: NO_VALUES }, "none"),
      element("option", { value: SEARCH }, "by a search"), element("option", { value: OPPONENT }, "by the opponent"));
    this.text = element("textarea", { rows: 8, spellcheck: "false", "aria-label": "The game as text",
      oninput: () => { this.edited = this.text.value !== ""; } });
    this.saved = element("details", { ontoggle: () => this.save() }, element("summary", {}, "Save and load"),
      element("p", { class: "quiet" }, "Copy this to keep the game; put a saved game here to go on with it."), this.text,
      button("Load this game", () => this.load()));
    this.root.classList.add("play");
    this.root.replaceChildren(
      element("header", {}, this.heading, element("div", { class: "tools" },
        button("Turn board", () => this.flip()), button("Light / dark", () => this.toggleTheme()))),
      element("div", { class: "table" }, this.top, this.stage, this.bottom, this.says, this.story,
        element("div", { class: "controls" }, this.ways, this.pass, this.hintButton, this.undoButton, this.redoButton,
          element("label", {}, "Values ", this.values)),
        this.thought),
      element("aside", {}, element("h3", {}, "Moves"), this.list, ...this.newGame(button), this.saved));
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  /** The form that begins another game. */
  newGame(button) {
    if (!this.choices) return [];
    const { games, opponents, alone, first } = this.choices;
    const select = (names, chosen) => element("select", {}, ...names.map(([value, text]) =>
      element("option", { value, ...(value === chosen ? { selected: "" } : {}) }, text)));
    const same = (names) => names.map((name) => [name, name]);
    const refill = (list, names, chosen) => {
      list.replaceChildren(...select(same(names), chosen).children);
      list.value = chosen; // options that leave one list for another lose which of them was chosen
    };
    const game = select(same(games), first.rules), against = select(same(opponents[first.rules]), first.against);
    const find = element("input", { type: "search", placeholder: "a part of its name", oninput: () => {
      const words = find.value.toLowerCase().split(/\s+/);
      const found = games.filter((name) => words.every((word) => name.toLowerCase().includes(word)));
      const kept = found.includes(game.value) || !found.length ? game.value : found[0];
      refill(game, found.length ? found : [kept], kept);
      game.dispatchEvent(new Event("change"));
    } });
    game.addEventListener("change", () => {
      const there = opponents[game.value], kept = there.includes(against.value) ? against.value : there[0];
      refill(against, there, kept);
      hide();
    });
    const seat = select([[0, "South, who begins"], [1, "North"]], first.seat);
    const seed = element("input", { type: "number", min: 0, step: 1, value: first.seed });
    const field = (label, input) => element("label", { class: "field" }, element("span", {}, label),
      fill(input, { "aria-label": label }, []));
    const others = [field("Opponent", against), field("You are", seat)]; // nobody in a solitaire
    const hide = () => others.forEach((label) => { label.hidden = alone.includes(game.value); });
    hide();
    this.form = element("form", { onsubmit: (event) => {
      event.preventDefault();
      const place = alone.includes(game.value) ? 0 : Number(seat.value);
      this.go("new", { rules: game.value, against: against.value, seat: place, seed: Number(seed.value) });
    } }, ...(games.length > MANY ? [field("Find a game", find)] : []), field("Game", game), ...others, field("Seed", seed),
    element("button", { class: "go" }, "Begin"));
    return [element("details", { class: "new-game" }, element("summary", {}, "New game"), this.form)];
  }

  /** What the server says of the game. */
  adopt(game) {
    const fresh = game.rows.map((row, k) =>
      Object.assign(Int16Array.from(row), { told: game.told[k], text: game.texts[k] }));
    this.rows = [...this.rows.slice(0, game.from), ...fresh];
    if (game.board) {
      const another = !this.board || this.game.rules !== game.rules || this.game.seat !== game.seat;
      this.board = readSpots(game.board);
      if (another) this.orientation = game.seat;
      this.draw();
    }
    this.game = game;
    this.heading.textContent = game.rules;
  }

  draw() {
    this.picture = new Picture(this.board, this.orientation);
    this.picture.svg.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) this.choose(Number(cell.dataset.cell));
    });
    this.stage.replaceChildren(this.picture.svg);
  }

  /** Run one request at a time; after an error show its message and the game as the server has it. */
  async doing(task) {
    if (this.busy) return;
    this.busy = true;
    this.root.dataset.state = "moving";
    this.enable();
    const focused = this.root.contains(document.activeElement) && document.activeElement.dataset.cell;
    if (this.board) this.picture.offer([]);
    this.says.classList.remove("failed");
    let failed = null;
    try {
      await task();
    } catch (error) {
      failed = error;
      if (error.stale) await this.reopen().catch(() => undefined);
    }
    this.busy = false;
    if (this.game) this.rest();
    if (failed) this.complain(failed.message);
    if (focused) this.focus(Number(focused));
    this.root.dataset.state = "still";
    if (this.pending) this.refresh();
  }

  /** Keep the keyboard focus on its pit, or move it to the first pit that can be played. */
  focus(cell) {
    const pits = [...this.picture.offered];
    const next = pits.includes(cell) ? cell : pits[0];
    if (next !== undefined) this.picture.cells[next].group.focus();
  }

  /** The game has changed elsewhere: show it as the server has it, at once or after the current request. */
  refresh() {
    this.pending = this.busy;
    if (this.busy) return;
    this.doing(async () => {
      await this.reopen();
      await this.replies();
    });
  }

  async reopen() {
    this.adopt((await this.ask({ command: "open" })).game);
  }

  request(command, more = {}) {
    return this.ask({ command, ply: this.game?.ply ?? 0, ...more });
  }

  /** Begin with a game that the server has. */
  open(game) {
    return this.doing(async () => {
      this.adopt(game);
      await this.replies();
    });
  }

  /** Undo, redo, new and load: the board is laid out anew. */
  go(command, more = {}) {
    return this.doing(async () => {
      this.adopt((await this.request(command, more)).game);
      this.root.querySelector(".new-game")?.removeAttribute("open");
      await this.replies();
    });
  }

  play(action) {
    return this.doing(async () => {
      await this.move("move", { action });
      await this.replies();
    });
  }

  async replies() {
    while (this.game.turn === "agent") {
      this.settle();
      this.tell([this.game.news, `${this.opponent} is thinking.`].filter(Boolean).join(" "));
      await this.move("reply");
    }
  }

  async move(command, more = {}) {
    const before = this.rows.at(-1);
    this.adopt((await this.request(command, more)).game);
    const after = this.rows.at(-1), events = trace(this.board, before, after);
    if (this.calm.matches || document.hidden || !events.length) return;
    this.picture.show(before, [], false, after[this.board.at.played]);
    this.picture.offer([]);
    this.tell("");
    this.seats(before);
    await new Promise((done) => animate(this.picture, before, events, PACE, done));
  }

  get opponent() {
    return this.game.players[1 - this.game.seat];
  }

  choose(cell) {
    if (this.busy || !this.game) return;
    const found = this.game.legal.filter(([, pit]) => pit === cell);
    if (this.game.turn !== "person" || !found.length) this.complain(this.whyNot(cell));
    else if (found.length === 1) this.play(found[0][0]);
    else this.askWay(cell, found);
  }

  /** A pit with several actions, such as two directions: ask which. */
  askWay(cell, found) {
    const face = (name) => [name, WAYS[name.at(-1)]].filter(Boolean).join(" ");
    this.ways.replaceChildren(...found.map(([action, , name]) =>
      element("button", { type: "button", class: "go", "data-way": name.at(-1), onclick: () => this.play(action) }, face(name))));
    this.tell(`Which way is ${this.board.names[cell]} sown?`);
    this.ways.firstChild.focus();
  }

  choosePass() {
    const found = this.game.legal.find(([, pit]) => pit === null);
    if (found) this.play(found[0]);
  }

  whyNot(cell) {
    const { board, game } = this;
    if (game.turn === "over") return "The game is over. Take a move back, or begin another game.";
    if (cell >= board.pits) return "Seeds in a store stay there: choose a pit.";
    const names = game.legal.map(([, , name]) => name).join(", ");
    const why = this.rows.at(-1)[cell] === 0 ? "is empty" : "cannot be played now";
    return `${board.names[cell]} ${why}. You can play ${names}.`;
  }

  hint() {
    return this.doing(async () => {
      const told = await this.request(SEARCH);
      this.after = () => {
        this.thought.textContent = `Hint: ${told.name}, ${told.told}. ${told.text}.`;
        if (told.best !== null) this.picture.cells[told.best].choice.classList.add("hinted");
        this.picture.worth(told.values, told.percent);
      };
    });
  }

  /** Show the position on the board, and what can be done. */
  rest() {
    this.settle();
    const { legal, turn, result, news } = this.game, own = turn === "person";
    this.picture.offer(own ? legal.flatMap(([, pit]) => (pit === null ? [] : [pit])) : []);
    this.enable();
    const next = own ? this.yourTurn() : `It is the turn of ${this.opponent}.`;
    this.tell((turn === "over" ? [result, news] : [news, next]).filter(Boolean).join(" "));
    this.thought.textContent = "";
    if (this.saved.open) this.save();
    if (this.after) {
      this.after();
      this.after = null;
    } else if (this.values.value !== NO_VALUES && turn !== "over") this.evaluate();
  }

  yourTurn() {
    const ply = this.rows.length - 1, mover = ply ? this.rows[ply - 1][this.board.at.mover] : this.game.seat;
    const fresh = this.game.ends.some(([at]) => at === ply); // the last move belongs to the game before
    const last = ply === 0 || fresh ? "" : `${mover === this.game.seat ? "You" : this.opponent} played ${this.name(ply)}. `;
    const mustPass = this.game.legal.every(([, pit]) => pit === null);
    if (this.game.due) return `${last}${this.game.due}`;
    return mustPass ? `${last}You must pass.`
      : `${last}Your turn${mover === this.game.seat && ply && !fresh ? " again" : ""}.`;
  }

  settle() {
    const { board, rows } = this, row = rows.at(-1), seeds = this.game.final ?? row;
    const { events, played } = shownMove(board, rows.at(-2), row);
    this.picture.show(row, capturedCells(events), this.game.turn === "over", played, stepsOf(board, events), seeds);
    this.picture.offer([]);
    for (const { choice } of this.picture.cells) choice.classList.remove("hinted");
    this.seats(row, seeds);
    this.story.textContent = row.text ? `${row.text}.` : "";
    this.listMoves();
  }

  /** Show the value of each move next to its pit. */
  async evaluate() {
    const { ply } = this.game, asked = this.asked = {};
    this.root.dataset.values = "asked";
    try {
      const told = await this.request(this.values.value);
      if (asked !== this.asked || this.busy || ply !== this.game.ply) return;
      this.picture.worth(told.values, told.percent);
      this.thought.textContent = `Best: ${told.name}, ${told.told}.`;
    } catch (error) {
      if (!error.stale) this.thought.textContent = error.message;
    } finally {
      if (asked === this.asked) this.root.dataset.values = "shown";
    }
  }

  /** Show the game as text, unless the person has edited the text. */
  save() {
    if (!this.saved.open || !this.game || this.edited) return;
    this.ask({ command: "save" }).then(({ text }) => { if (!this.edited) this.text.value = text; },
      (error) => this.complain(error.message));
  }

  load() {
    return this.doing(async () => {
      this.adopt((await this.request("load", { text: this.text.value })).game);
      this.edited = false;
      await this.replies();
    });
  }

  enable() {
    const { game, busy } = this, own = game?.turn === "person";
    this.ways.replaceChildren();
    this.hintButton.disabled = busy || !own;
    this.undoButton.disabled = busy || !game?.canUndo;
    this.redoButton.disabled = busy || !game?.canRedo;
    const passes = own ? game.legal.find(([, pit]) => pit === null) : undefined;
    this.pass.hidden = !passes;
    if (passes) this.pass.textContent = passes[2] === "stop" ? "Stop" : "Pass";
    for (const input of this.form?.elements ?? []) input.disabled = busy;
  }

  tell(text) {
    if (this.says.textContent !== text) this.says.textContent = text;
  }

  complain(text) {
    this.tell(text);
    this.says.classList.add("failed");
  }

  seats(row, seeds = row) {
    const { board, game } = this;
    for (const [node, player] of [[this.top, 1 - this.orientation], [this.bottom, this.orientation]]) {
      if (player >= board.players) {
        node.replaceChildren();
        continue;
      }
      const moves = game.turn !== "over" && row[board.at.mover] === player;
      node.classList.toggle("to-move", moves);
      node.replaceChildren(element("b", {}, player === game.seat ? "You" : game.players[player]),
        element("span", { class: "quiet" }, PLAYERS[player]),
        element("span", { class: "score" }, scoreOf(board, row, seeds, player) || (moves ? "to move" : "")));
    }
  }

  name(ply) {
    return moveName(this.board, this.rows[ply]);
  }

  /** Moves in two columns; several moves of one player in a row share a cell. */
  listMoves() {
    const lines = [];
    let cells = null, number = 0;
    const closing = (ply) => {
      for (const [at, short] of this.game.ends) if (at === ply) lines.push(element("li", { class: "new" }, short));
      if (this.game.ends.some(([at]) => at === ply)) cells = null;
    };
    for (let ply = 1; ply < this.rows.length; ply++) {
      const mover = this.rows[ply - 1][this.board.at.mover];
      if (!cells || (mover === 0 && cells[1].textContent)) {
        cells = [element("span"), element("span")];
        number += 1;
        lines.push(element("li", {}, element("span", {}, String(number)), ...cells));
      }
      cells[mover].append(`${cells[mover].textContent ? " " : ""}${this.name(ply)}`);
      closing(ply);
    }
    this.list.replaceChildren(...lines);
    this.list.scrollTop = this.list.scrollHeight;
  }

  flip() {
    if (this.busy || !this.game) return;
    this.orientation = 1 - this.orientation;
    this.draw();
    this.rest();
  }

  toggleTheme() {
    const place = this.root.closest("[data-theme]") ?? (this.root.closest("main") ? document.documentElement : this.root);
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    place.dataset.theme = (place.dataset.theme || system) === "dark" ? "light" : "dark";
  }

  /** Letters play their pits, + and - the direction asked for; Enter and space the pit that has the focus. */
  key(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, select, textarea")) return;
    const cell = target.closest?.(".cell.offered");
    if (cell && (key === "Enter" || key === " ")) {
      event.preventDefault();
      this.choose(Number(cell.dataset.cell));
      return;
    }
    if (key.length !== 1 || this.game?.turn !== "person" || this.busy) return;
    const named = (name) => this.game.legal.find(([, , each]) => each === name);
    const other = key === key.toLowerCase() ? key.toUpperCase() : key.toLowerCase();
    const found = named(key) ?? named(other);
    if (found) {
      this.play(found[0]);
      return;
    }
    const either = (name) => this.game.legal.find(([, , each]) => each.replace(/[+-]$/, "") === name);
    const near = either(key) ?? either(other);
    if (near) this.choose(near[1]);
    else [...this.ways.children].find((button) => button.dataset.way === key)?.click();
  }
}
