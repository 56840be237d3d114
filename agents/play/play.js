// A board to play on. The longest file of the page, as all in it reads and changes the one game that it shows.

const PACE = 1.6; // how fast seeds are sown, relative to the replay's usual speed
const WAYS = { "+": "↺ counter-clockwise", "-": "↻ clockwise" };
const WORST = 3; // moves that an analysis shows
const LOOK_FIRST = 900; // milliseconds in which a position is seen before its move shows a rule
const NEXT = " The example comes after it.";
const TOLD = 4; // moves that are told at most: the person's last, and the opponent's last since then

/** Positions as a Viewer has them, each with what led to it. */
function rowsOf({ rows, told, texts }) {
  return rows.map((row, k) => Object.assign(Int16Array.from(row), { told: told[k], text: texts[k] }));
}

/**
 * A game against an agent, inside `root`. `ask(request)` resolves to the answer of api.py, or throws an Error with
 * `stale` or `gone` set if the game is not the one on the page.
 * `choices` are what lobby.js takes, and `canStop`: whether an agent hears while it thinks; null if no other game can be
 * begun. `address`, if there is one, is told what stands on the board (address.js).
 */
class Table extends Viewer {
  constructor(root, ask, choices = null, address = null, heading = "h2") {
    super(root, heading);
    this.ask = ask;
    this.choices = choices;
    this.address = address;
    this.rows = [];
    this.moves = [];
    this.worths = []; // of positions for South, as far as a search has told them; with those of a variation while there is one
    this.found = []; // what an analysis says of each move
    this.busy = false;
    this.resting = null; // a promise, of the end of what is being done
    this.speed = PACE;
    this.dismissed = 0;
    this.endExample = null; // a function that ends the example which is on the board in place of the game
    this.opening = null; // a promise, while the first game is laid out
    if (choices) this.lobby = new Lobby(this, choices);
    else this.gamesButton.hidden = true;
    this.linkButton.hidden = !address;
    this.enable();
  }

  build() {
    const button = (face, action, name = "") => this.button(face, "", "", action, name);
    this.aim = element("p", { class: "aim" });
    this.actions = element("div", { class: "actions" });
    this.story = element("p", { class: "story" });
    this.left = element("p", { class: "left quiet" });
    this.thought = element("p", { class: "thought", role: "status" });
    this.worst = element("ul", { class: "worst", hidden: "", "aria-label": "The worst moves" });
    this.graded = element("p", { class: "graded quiet" });
    this.pass = button("Pass", () => this.play(this.passing[0]), "go");
    this.ways = element("span", { class: "ways", role: "group", "aria-label": "Direction" });
    this.stopButton = button("Move now", () => this.ask({ command: "stop" }).catch((error) => this.complain(error.message)), "stop");
    this.hintButton = button("Hint", () => this.hint());
    this.undoButton = button("Undo", () => this.renew("undo"));
    this.redoButton = button("Redo", () => this.renew("redo"));
    this.resignButton = button("Resign", () => this.resign());
    this.rematchButton = button("Rematch", () => this.rematch());
    this.analyseButton = button("Analyse", () => this.analyse());
    this.editButton = button("Edit", () => this.editor.open());
    this.gamesButton = button("Games", () => this.showLobby(true));
    this.linkButton = button("Link", () => this.copyLink());
    this.shown = element("input", { type: "checkbox", onchange: () => { if (this.game && !this.busy) this.rest(); } });
    this.file = element("input", { type: "file", accept: ".txt,text/plain", hidden: "", "aria-label": "A saved game", onchange: () => this.load() });
    this.bar = element("progress", { "aria-label": "Waiting", hidden: "" });
    this.rules = new Rules(this);
    this.editor = new Editor(this);
    this.onBoard = [button("Rules", () => this.rules.toggle()), this.linkButton];
    this.turnButton = button("Turn board", () => this.flip());
    this.soundButton = element("button", { type: "button", "aria-pressed": isHeard(), onclick: () => toggleSound(this.soundButton) }, "Sound");
    this.atRest = [button("Save", () => this.save()), button("Load", () => this.file.click()), this.turnButton, ...this.steps];
    this.root.classList.add("play");
    this.root.replaceChildren(
      element("header", {}, this.heading, this.aim, element("div", { class: "tools" }, this.gamesButton,
        this.onBoard[0], this.turnButton, button("Light / dark", () => this.toggleTheme()), this.soundButton)),
      element("div", { class: "table" }, this.top, this.stage, this.bottom, this.says, this.bar, this.actions,
        element("div", { class: "controls" }, this.ways, this.pass, this.stopButton, this.hintButton, this.undoButton, this.redoButton,
          this.resignButton, element("label", {}, this.shown, "Values")),
        this.thought, this.story, this.left),
      element("section", { class: "moves", "aria-label": "Moves" }, element("p", { class: "label" }, "Moves"), this.list,
        element("div", { class: "controls" }, ...this.steps, this.where),
        element("div", { class: "controls" }, this.rematchButton, this.analyseButton, this.editButton, ...this.atRest.slice(0, 2), this.linkButton, this.file),
        this.graph, this.graphLabel, this.worst, this.graded),
      this.rules.root, this.editor.root);
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  // ---- what the viewer asks ----

  get players() {
    if (this.endExample && this.board.players > 1) return PLAYERS;
    const { level, players, seat, shared, visited } = this.real;
    return players.map((name, player) => (shared ? name : player !== seat ? level || name : visited ? PLAYERS[player] : "You"));
  }

  get ends() {
    return this.game.ends;
  }

  get values() {
    const values = this.rows.map((_, ply) => this.worths[ply] ?? null);
    return values.filter((value) => value !== null).length > 1 ? values : null;
  }

  /** The game that is played, which a variation leaves as it is. */
  get real() {
    return (this.branch ?? this).game;
  }

  get isLive() {
    return this.ply === this.last;
  }

  isOver(ply) {
    return ply === this.last && this.game.turn === "over";
  }

  seeds(ply) {
    return ply === this.last && this.game.final ? this.game.final : this.rows[ply];
  }

  mark(state) {
    super.mark(state);
    if (this.busy) this.root.dataset.state = "moving";
    this.address?.tell(this);
  }

  /** What the server says of the game. */
  adopt(game) {
    const left = this.branch ?? { game: this.game, rows: this.rows, moves: this.moves, worths: this.worths, last: this.last };
    this.branch = game.at === undefined ? null : { ...left, ply: game.at };
    const before = Math.max(0, game.from - 1);
    this.rows = [...this.rows.slice(0, game.from), ...rowsOf(game)];
    this.moves = [...this.moves.slice(0, before), ...game.moves];
    this.worths = this.worths.slice(0, game.from);
    if (!this.branch) this.found = this.found.slice(0, before);
    const another = !this.game || this.game.rules !== game.rules || this.game.seat !== game.seat;
    this.game = game;
    this.ply = this.last;
    this.held = null;
    this.worst.hidden = this.graded.hidden = !this.found.length;
    if (game.board) {
      this.board = readSpots(game.board);
      if (another) this.orientation = game.seat;
      if (another) this.rules.forget();
      this.dismissed = 0;
      this.draw();
    }
    this.heading.textContent = game.title;
    this.aim.textContent = game.aim;
    this.listMoves();
    this.drawGraph();
  }

  draw() {
    super.draw();
    this.picture.hear = hear;
    this.picture.svg.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) this.choose(Number(cell.dataset.cell));
    });
  }

  // ---- requests ----

  /** Run one request at a time; after an error, which it returns, show its message and the game as the server has it. */
  async doing(task) {
    if (this.busy) return null;
    this.pause();
    const focused = document.activeElement, cell = this.root.contains(focused) && focused.dataset.cell;
    this.busy = true;
    let done;
    this.resting = new Promise((resolve) => { done = resolve; });
    this.root.dataset.state = "moving";
    this.enable();
    if (this.board) this.picture.offer([]);
    this.says.classList.remove("failed");
    let failed = null;
    try {
      await task();
    } catch (error) {
      failed = error;
      if (error.stale) await this.layOut("open").catch(() => undefined);
    }
    this.busy = false;
    if (this.game) this.rest();
    if (failed) this.complain(failed.message);
    if (cell) this.focus(Number(cell));
    else if (document.activeElement === document.body) (focused?.disabled ? this.stage : focused)?.focus({ preventScroll: true }); // a button that lost it, being disabled
    this.root.dataset.state = "still";
    done();
    if (this.pending) this.refresh();
    return failed;
  }

  /** Wait until nothing is being done, such as a reply that is being thought about; an example makes way. */
  async rested() {
    this.endExample?.();
    while (this.busy) await this.resting;
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
    this.renew("open");
  }

  request(command, more = {}) {
    const tried = this.branch ? { at: this.branch.ply, line: this.moves.slice(this.branch.ply) } : {};
    return this.ask({ command, ply: this.real?.ply ?? 0, ...tried, ...more });
  }

  /** Begin with a game that the server has. */
  open(game) {
    return this.doing(async () => {
      this.adopt(game);
      await this.replies();
    });
  }

  async layOut(command, more) {
    this.adopt((await this.request(command, more)).game);
  }

  /** A request after which the board is laid out anew: open, new, load, undo, redo. */
  renew(command, more) {
    return this.doing(async () => {
      await this.layOut(command, more);
      await this.replies();
    });
  }

  /** Another game. The one that the page began with may still be waiting for a compiler. */
  async begin(wanted) {
    this.showLobby(false);
    await this.opening;
    await this.rested();
    this.wait("The board is being laid out.");
    return this.renew("new", wanted);
  }

  /** The same game again, from the other seat. */
  rematch() {
    const { rules, against, seat, seed } = this.game;
    return this.begin({ rules, against, seat: this.board.players === 1 ? 0 : 1 - seat, seed: seed + 1 });
  }

  play(action) {
    if (this.branch) return this.vary(action);
    return this.doing(async () => {
      await this.exchange("move", { action });
      await this.replies();
    });
  }

  async replies() {
    while (this.game.turn === "agent" && !this.held) {
      this.settle(this.last);
      this.wait(`${this.opponent} is thinking.`);
      this.stopButton.hidden = !this.choices?.canStop;
      try {
        await this.exchange("reply");
      } finally {
        this.stopButton.hidden = true;
      }
    }
  }

  /** A move, which is shown seed by seed; one that ends a game of a match keeps its board until the person goes on. */
  async exchange(command, more = {}) {
    this.adopt((await this.request(command, more)).game);
    this.story.textContent = "";
    this.actions.replaceChildren();
    this.tell("");
    this.showSeats(this.last - 1, this.rows[this.last - 1], this.rows[this.last - 1], false);
    if (calm.matches) hear(capturedCells(trace(this.board, ...this.rows.slice(-2))).length ? "take" : "sow");
    await new Promise((done) => this.animated(this.last, done));
    if (this.game.turn !== "over") this.held = this.endsAt(this.last).find(([, , , row]) => row) ?? null;
  }

  /** From the board on which a game of a match ended to that of the next one. */
  proceed() {
    return this.doing(async () => {
      this.held = null;
      this.dismissed = this.game.ends.length;
      await this.replies();
    });
  }

  resign() {
    if (this.resignButton.textContent !== "Resign") return this.renew("resign");
    this.resignButton.textContent = "Resign: sure?";
    return undefined;
  }

  get opponent() {
    return this.players[1 - this.real.seat];
  }

  // ---- variations ----

  /** Leave the game at the ply that is looked at, with another move or with what is to be chosen there. */
  vary(action) {
    return this.doing(() => this.branchOff(action));
  }

  /** The position that is looked at: after so many moves of the game, and those tried since. */
  get looked() {
    const at = Math.min(this.branch?.ply ?? this.ply, this.ply);
    return { at, line: this.moves.slice(at, this.ply) };
  }

  async branchOff(action) {
    const { at, line } = this.looked;
    if (action !== undefined) await this.exchange("try", { at, line: [...line, action] });
    else {
      this.adopt((await this.request("try", { at, line })).game);
      this.after = () => this.focus();
    }
  }

  /** The move that a search thinks best, in a variation. */
  letSearch() {
    return this.doing(async () => {
      const { action, value } = await this.request("hint");
      this.worths[this.ply] = value;
      await this.branchOff(action);
    });
  }

  /** Back to the game, where the variation left it. */
  leave() {
    if (this.busy || !this.branch) return;
    this.pause();
    const { game, rows, moves, worths, ply } = this.branch;
    Object.assign(this, { game, rows, moves, worths, branch: null, held: null });
    this.listMoves();
    this.drawGraph();
    this.go(ply);
    this.stage.focus();
  }

  // ---- moves ----

  choose(cell) {
    if (this.busy || !this.game) return;
    if (this.held) { this.proceed(); return; }
    if (!this.isLive && this.game.free) { this.vary().then((failed) => failed || this.choose(cell)); return; }
    if (!this.isLive) { this.go(this.last); return; }
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
    this.picture.cells.forEach(({ choice }, each) => choice.classList.toggle("hinted", each === cell));
    this.tell(`Which way is ${this.board.names[cell]} sown?`);
    this.ways.firstChild.focus();
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
      this.wait("A search is thinking about your moves.");
      const told = await this.request("hint");
      this.after = () => {
        this.thought.textContent = `Hint: ${told.name}, ${told.told}. ${told.text}.${told.means}`;
        if (told.best !== null) this.picture.cells[told.best].choice.classList.add("hinted");
        this.picture.worth(told.values);
      };
    });
  }

  // ---- examples of rules ----

  /** A move that shows a rule (examples.py), on the board in place of the game until the person goes back. */
  async example(of, rule) {
    const asked = this.askedExample = {};
    if (this.busy && !this.endExample && !this.says.textContent.endsWith(NEXT)) this.wait(`${this.says.textContent}${NEXT}`);
    await this.rested();
    if (asked !== this.askedExample) return null;
    return this.doing(async () => {
      const told = await this.ask({ command: "example", of }), { rows, game, ply, held } = this;
      const left = new Promise((done) => { this.endExample = done; });
      Object.assign(this, { rows: rowsOf(told), ply: 1, held: null, game: { ...game, ...told, rule, turn: told.result ? "over" : "" } });
      this.root.classList.add("showing");
      this.left.textContent = this.thought.textContent = "";
      this.showExample();
      await left;
      this.pause();
      this.endExample = null;
      this.root.classList.remove("showing");
      Object.assign(this, { rows, game, ply, held });
    });
  }

  /** Show the position, then the move. */
  showExample() {
    const [before] = this.rows, { result, rule } = this.game, forbids = before.text && ` ${before.text}.`, back = this.button("Back to the game", "", "", () => this.endExample(), "go");
    this.pause();
    this.held = null;
    this.picture.show(before, [], false, NO_MOVE);
    this.showSeats(0, before, before, false);
    this.tell(`${rule ? `An example: ${rule}` : "An example."}${forbids}`);
    this.story.replaceChildren();
    this.actions.replaceChildren(this.button("Again", "", "", () => this.showExample()), back);
    back.focus({ preventScroll: true });
    this.timer = setTimeout(() => this.animated(1, () => {
      this.held = this.endsAt(1).find(([, , , row]) => row) ?? null;
      this.settle(1);
      if (result || this.held) this.tell(`An example: ${this.held ? this.held[2] : `${result}.`}`);
    }), LOOK_FIRST);
  }

  // ---- what is shown ----

  go(ply) {
    if (this.endExample) { this.showExample(); return; }
    if (this.busy || !this.game) return;
    this.pause();
    this.ply = Math.max(0, Math.min(this.last, ply));
    this.rest();
  }

  arrived() {
    this.rest();
  }

  /** Show the position on the board, and what can be done. */
  rest() {
    this.settle(this.ply);
    const { legal, turn } = this.game, own = turn === "person" && this.isLive && !this.held;
    this.picture.offer(own ? legal.flatMap(([, pit]) => (pit === null ? [] : [pit])) : []);
    this.enable();
    this.announce();
    const judged = this.found[this.ply] && !(this.branch && this.ply >= this.branch.ply);
    this.thought.textContent = judged ? this.judged(this.ply) : "";
    this.after?.();
    const asked = this.branch ? !this.held : this.shown.checked && !this.after && !this.held;
    this.after = null;
    if (asked && turn !== "over" && this.isLive) this.evaluate();
  }

  /** Say where the game stands, and offer what comes next. */
  announce() {
    const { turn, result, news, left, guide } = this.game, actions = [];
    const button = (...parts) => actions.push(this.button(parts[0], "", "", parts[1], parts[2] ?? ""));
    const fresh = this.game.ends.length > this.dismissed ? news : "";
    const toWin = left ? `${left[0].toUpperCase()}${left.slice(1)}.` : "";
    if (!this.isLive) {
      this.tell(`${this.ply ? `After move ${this.ply}` : "Before the first move"} of ${this.last}.`);
      button(turn === "over" || this.branch ? "To the end" : "Back to the game", () => this.go(this.last), this.branch ? "" : "go");
      if (this.game.free) button("Try another move", () => this.vary());
    } else if (this.held) {
      this.tell([fresh, toWin].filter(Boolean).join(" "), true);
      button("Next game", () => this.proceed(), "go");
    } else if (this.branch) {
      const mover = this.rows[this.ply][this.board.at.mover];
      const next = this.game.due || (result ? result : `${this.board.players === 1 ? "Choose a move" : `${PLAYERS[mover]} is to move`}.`);
      this.tell(`A variation ${this.branch.ply ? `after move ${this.branch.ply}` : "from the start"}. ${next}`);
      if (turn !== "over") button("Let the search move", () => this.letSearch());
    } else if (turn === "over") {
      this.tell([result, news].filter(Boolean).join(" "), true);
      button("Rematch", () => this.rematch(), "go");
      button("Analyse the game", () => this.analyse());
      if (this.game.legal.length) button("Try moves", () => this.vary());
      if (this.choices) button("Other games", () => this.showLobby(true));
    } else {
      if (this.game.free) button("Try moves", () => this.vary());
      const own = turn === "person", match = this.game.match ? `Game ${this.game.match}. ` : "";
      this.tell([fresh, own ? this.game.asks : `It is the turn of ${this.opponent}.`].filter(Boolean).join(" "));
      if (own && guide) this.says.append(element("span", { class: "guide" }, `Guide: ${guide}`));
      this.left.textContent = `${match}${toWin}`;
    }
    if (this.branch) button("Back to the game", () => this.leave(), "go");
    if (turn === "over" || this.held || this.branch || !this.isLive) this.left.textContent = "";
    this.actions.replaceChildren(...actions);
  }

  settle(ply) {
    const { board, rows, held } = this, row = rows[ply];
    this.ply = ply;
    if (held && this.isLive) {
      this.picture.show(Int16Array.from(held[3]), [], true, NO_MOVE, [], held[4]);
    } else {
      const { events, played } = shownMove(board, rows[ply - 1], row);
      this.picture.show(row, capturedCells(events), this.isOver(ply), played, stepsOf(board, events), this.seeds(ply));
    }
    this.picture.offer([]);
    for (const { choice } of this.picture.cells) choice.classList.remove("hinted");
    this.mark("still");
    this.story.replaceChildren(...this.toldAt(ply).map((at) => element("span", {}, `${rows[at].text}.`)));
  }

  /** The plies whose moves are told at a ply: its own; on the board in play also those since the person's last move. */
  toldAt(ply) {
    const { board, rows, game } = this, isOwn = (at) => rows[at - 1][board.at.mover] === game.seat;
    let first = ply;
    while (this.isLive && !game.shared && first > 1 && !isOwn(first) && !this.endsAt(first - 1).length) first--;
    const plies = Array.from({ length: ply - first + 1 }, (_, k) => first + k).filter((at) => rows[at].text);
    return plies.length > TOLD ? [plies[0], ...plies.slice(1 - TOLD)] : plies;
  }

  showSeats(ply, ...more) {
    if (this.held && this.isLive && !more.length) super.showSeats(ply, this.held[3], this.held[4], true);
    else super.showSeats(ply, ...more);
  }

  /** Show the value of each move next to its pit. */
  async evaluate() {
    const { branch } = this, { ply } = this.game, asked = this.asked = {};
    this.root.dataset.values = "asked";
    this.thought.textContent = "A search is thinking about the values of the moves.";
    try {
      const told = await this.request("hint");
      if (asked !== this.asked || this.busy || ply !== this.game.ply) return;
      if (this.game.free && branch === this.branch) {
        this.worths[ply] = told.value;
        this.unit = ` ${told.unit}s`;
        this.drawGraph();
      }
      this.picture.worth(told.values);
      this.thought.textContent = `Best: ${told.name}, ${told.told}.${told.means}`;
    } catch (error) {
      if (!error.stale) this.thought.textContent = error.message;
    } finally {
      if (asked === this.asked) this.root.dataset.values = "shown";
    }
  }

  // ---- after the game, or where nobody is played against ----

  /** Search every position of the game, draw what was found, and list the worst moves. */
  analyse() {
    return this.doing(async () => {
      const { found } = this;
      for (let at = found.length; at < this.last; at++) {
        this.wait(`Analysing move ${at + 1} of ${this.last}.`, at / this.last);
        found.push(await this.ask({ command: "analyse", ply: this.game.ply, at }));
        this.worths[at] = found[at].value;
        this.unit = ` ${found[at].unit}s`;
      }
      const bad = found.map((each, k) => ({ ...each, ply: k + 1 })).filter(({ loss }) => loss > 0)
        .sort((one, other) => other.loss - one.loss).slice(0, WORST);
      this.worst.replaceChildren(...bad.map(({ ply }) =>
        element("li", {}, this.button(this.judged(ply - 1), "", "", () => { this.go(ply - 1); this.stage.scrollIntoView({ block: "nearest" }); }))), ...(bad.length ? [] : [element("li", {}, "The search sees no mistake in this game.")]));
      this.worst.hidden = this.graded.hidden = false;
      this.graded.textContent = found[0].grading;
      this.listMoves();
      this.drawGraph();
      this.after = () => {
        this.thought.textContent = !bad.length ? "The search sees no mistake in this game."
          : "The worst moves, and what was better, stand under the list of moves. Choose one to see its position.";
        this.worst.scrollIntoView({ block: "nearest" });
      };
    });
  }

  /** What the analysis says of the move that was played at a ply. */
  judged(ply) {
    return `Move ${ply + 1}, ${this.players[this.rows[ply][this.board.at.mover]]}: ${this.found[ply].told}`;
  }

  listed(ply, mover) {
    const tried = this.branch && ply > this.branch.ply, [sign, word] = (!tried && this.found[ply - 1]?.grade) || ["", ""];
    const listed = super.listed(ply, mover, sign, tried ? ", tried" : word && `, ${word}`);
    listed.classList.toggle("tried", Boolean(tried));
    return listed;
  }

  /** Have the person keep the game as a text. */
  save() {
    return this.doing(async () => download(`${this.game.name}.txt`, (await this.ask({ command: "save" })).text, "text/plain"));
  }

  async load() {
    const [file] = this.file.files;
    if (!file) return;
    const text = await file.text();
    this.file.value = "";
    await this.renew("load", { text });
  }

  async copyLink() {
    const address = this.address.now(this.branch ?? this);
    this.thought.replaceChildren("A link to this board: ", element("a", { href: address }, address));
    this.linkButton.textContent = await navigator.clipboard?.writeText(address).then(() => "Link copied", () => "Link") ?? "Link";
  }

  showLobby(on) {
    if (!this.lobby) return;
    this.leave();
    if (on) this.endExample?.();
    if (!this.lobby.root.isConnected) this.root.after(this.lobby.root);
    this.root.hidden = on;
    this.lobby.show(on);
    this.address?.tell(this);
  }

  enable() {
    const { game, busy } = this, live = game && this.isLive && !this.held, own = live && game.turn === "person";
    this.ways.replaceChildren();
    this.stopButton.hidden = true;
    this.hintButton.disabled = busy || !own;
    this.undoButton.disabled = busy || this.branch || !game?.canUndo;
    this.redoButton.disabled = busy || this.branch || !game?.canRedo;
    this.resignButton.disabled = busy || this.branch || !own || !game.ply;
    this.resignButton.textContent = "Resign";
    this.linkButton.textContent = "Link";
    for (const one of this.onBoard) one.disabled = !game;
    for (const one of this.atRest) one.disabled = busy || !game;
    this.rematchButton.disabled = busy || !game || !this.choices;
    this.editButton.disabled = busy || !game?.free || !this.choices;
    this.analyseButton.disabled = busy || this.branch || !game?.free || !game.ply;
    this.passing = own ? game.legal.find(([, pit]) => pit === null) : undefined;
    this.pass.hidden = !this.passing;
    this.pass.textContent = this.passing?.[2] === "stop" ? "Stop" : "Pass";
  }

  tell(text, ended = false) {
    super.tell(text, ended);
    fillBar(this.bar);
  }

  /** Say what is waited for, over a bar. */
  wait(text, share = null) {
    this.tell(text);
    fillBar(this.bar, share);
  }

  complain(text) {
    this.tell(text);
    this.says.classList.add("failed");
  }

  /** What is under way is waited for: an animation that is cut off would never tell its end. */
  step() {
    if (this.game && !this.busy) super.step();
  }

  /** Letters play their pits, + and - the direction asked for; Enter and space the pit that has the focus. */
  key(event) {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest?.("input, select, textarea, dialog")) return;
    const cell = target.closest?.(".cell.offered");
    if (cell && (key === "Enter" || key === " ")) {
      event.preventDefault();
      this.choose(Number(cell.dataset.cell));
      return;
    }
    if (this.root.hidden || this.stepKey(event)) return;
    if (key === "Escape") { this.leave(); return; }
    if (this.held && key === "Enter" && !target.closest?.("button")) { this.proceed(); return; }
    if (key.length !== 1 || !this.isLive || this.held || this.game?.turn !== "person" || this.busy) return;
    const named = (letter) => this.game.legal.find(([, , name]) => name.replace(/[+-]$/, "") === letter);
    const found = named(key) ?? named(key === key.toLowerCase() ? key.toUpperCase() : key.toLowerCase());
    if (found) this.choose(found[1]);
    else [...this.ways.children].find((button) => button.dataset.way === key)?.click();
  }
}
