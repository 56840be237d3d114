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

/** What packing.py's packed_table packed: Int16Array of `lines` lines. */
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

const blocks = new Map();  // the positions of each board, once they are unpacked

/** All positions on a board, as `positions` has them. */
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
  const [block, first, count] = place;
  if (!blocks.has(block)) blocks.set(block, unpackBlock(page.blocks[block], board));
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
class Player extends Viewer {
  build() {
    this.result = element("p");
    this.goButton = this.button("Play", "Play", "space", () => this.toggle(), "go");
    this.pace = element("select", { "aria-label": "Speed", title: "Speed",
      onchange: () => { this.speed = Number(this.pace.value); } },
    ...[0.5, 1, 2, 4].map((speed) => element("option", { value: speed, ...(speed === 1 ? { selected: "" } : {}) },
      `${speed}×`)));
    const [first, back, on, last] = this.steps;
    this.root.replaceChildren(
      element("header", {}, this.heading, this.result, element("div", { class: "tools" },
        this.button("Turn board", "Turn the board round", "f", () => this.flip()),
        ...(page.themed ? [] : [this.button("Light / dark", "Change between light and dark", "", () => this.toggleTheme())]))),
      element("div", { class: "table" }, this.top, this.stage, this.bottom, this.says,
        element("div", { class: "controls" }, first, back, this.goButton, on, last, this.slider, this.where, this.pace),
        this.graph, this.graphLabel),
      element("aside", { class: "moves", "aria-label": "Moves" }, element("p", { class: "label" }, "Moves"), this.list));
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
    this.draw();
    this.listMoves();
    this.drawGraph();
    this.go(0);
  }

  get players() {
    return this.game.players;
  }

  get values() {
    return this.game.values;
  }

  get ends() {
    return this.game.place[4];
  }

  isOver(ply) {
    return ply === this.last && this.game.result !== "not finished";
  }

  /** What lies in the cells: at the end, what it is after the final collection. */
  seeds(ply) {
    const [, , , final] = this.game.place;
    return ply === this.last && final ? final : this.rows[ply];
  }

  toggle() {
    if (this.playing) { this.go(this.ply); return; }
    if (this.ply === this.last) this.settle(0);
    this.playing = true;
    this.goButton.textContent = "Pause";
    this.goButton.setAttribute("aria-label", "Pause");
    this.move();
  }

  pause() {
    super.pause();
    this.playing = false;
    this.goButton.textContent = "Play";
    this.goButton.setAttribute("aria-label", "Play");
  }

  arrived() {
    super.arrived();
    if (!this.playing) return;
    if (this.ply === this.last) this.pause();
    else this.timer = setTimeout(() => this.move(), (calm.matches ? 1100 : 450) / this.speed);
  }

  settle(ply) {
    super.settle(ply);
    this.says.classList.toggle("ended", this.isOver(ply) || this.endsAt(ply).length > 0);
  }

  told(ply) {
    const { board, rows } = this, row = rows[ply], parts = [];
    if (row.text) parts.push(ply ? `${ply}. ${row.text}` : row.text);
    if (ply) for (const [, , told] of this.endsAt(ply)) parts.push(told.replace(/\.$/, ""));
    parts.push(this.isOver(ply) ? `Over: ${this.game.result}` : `${PLAYERS[row[board.at.mover]]} to move`);
    if (board.tally) {
      const [south, north] = [1, 2].map((k) => row[board.at.match + 1 + k] / board.tallyScale);
      parts.push(`Game ${gameOf(board, row)}: South ${south}, North ${north} ${board.tally}`);
    }
    const owed = board.at.debt === undefined ? 0 : row[board.at.debt];
    if (owed !== 0) parts.push(`${owed > 0 ? "South" : "North"} owes ${plural(Math.abs(owed))}`);
    if (board.at.removed !== undefined) parts.push(`${plural(row[board.at.removed])} removed`);
    return parts.map((part) => `${part}.`).join(" ");
  }

  key(event) {
    this.stepKey(event, { " ": () => this.toggle(), f: () => this.flip() });
  }
}

/** The page of player_html: a player, and a choice where there are several games. */
async function showGames() {
  const root = document.getElementById("page"), place = element("section", { "aria-label": "Replay" });
  const player = new Player(place, "h1");
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
