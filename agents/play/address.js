// ---- the address of a page is its game -------------------------------------------------------------------------------

// `#game=oware&against=greedy&seat=1&seed=3&moves=2.0.5&ply=2`: actions, and the ply that is looked at where it is not the
// last one; `position` where the game began elsewhere, `guided` in a guided first game. So a page that is loaded anew, a second tab, a bookmark and whoever
// gets the link show the same board. About 60 characters and two or three for each move.

const SETTLED = 150; // milliseconds between two changes: browsers refuse addresses that change much more often

class Address {
  constructor(memory) {
    this.memory = memory;
    this.first = null; // the game to show behind a link that leads to none
    this.opening = 0; // how many addresses are still to be followed
    this.followed = Promise.resolve();
  }

  /** What the address asks for: what the request `new` takes, and `ply`; null if it names no game. */
  get wanted() {
    const said = new URLSearchParams(location.hash.slice(1)), number = (name) => Number(said.get(name) ?? 0);
    if (!said.get("game")) return null;
    const moves = said.get("moves");
    return { rules: said.get("game"), against: said.get("against"), seat: number("seat"), seed: number("seed"),
      position: said.get("position"), moves: moves ? moves.split(".").map(Number) : [], ply: said.has("ply") ? number("ply") : null,
      guided: said.has("guided"), visited: !this.memory.knows(location.hash) };
  }

  /** What stands on a board, as an address. */
  now({ game, moves, ply, last }) {
    const { rules, against, seat, seed, opening } = game, said = new URLSearchParams({ game: rules, against, seat, seed });
    if (opening) said.set("position", opening);
    if (game.guided) said.set("guided", 1);
    if (moves.length) said.set("moves", moves.join("."));
    if (ply !== last) said.set("ply", ply);
    return `${location.href.split("#")[0]}#${said}`;
  }

  /** A board or the list of games is on the page: the address follows. Another game is a step that a browser can go back. */
  tell(table) {
    document.title = table.root.hidden || !table.game ? "Mancala" : `${table.game.title}: Mancala`;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(table), Math.max(0, (this.wrote ?? 0) + SETTLED - Date.now()));
  }

  write(table) {
    if (table.busy || this.opening) return;
    this.wrote = Date.now();
    const bare = location.href.split("#")[0], played = table.branch ?? table, { game, moves, last } = played;
    const shown = table.root.hidden ? bare : game ? this.now(played) : location.href;
    const another = this.board !== undefined && this.board !== (table.root.hidden ? "" : Address.told(game));
    this.board = table.root.hidden ? "" : Address.told(game);
    if (!table.root.hidden && game && !game.visited) {
      this.memory.keep(played, new URL(this.now({ game, moves, ply: last, last })).hash);
    }
    if (shown !== location.href) history[another ? "pushState" : "replaceState"](null, "", shown);
  }

  /** What tells one game from another. */
  static told(game) {
    return game ? [game.rules, game.against, game.seat, game.seed, game.opening].join() : "";
  }

  /** Show what the address asks for, after what it asked for before. */
  open(table) {
    this.opening += 1;
    this.followed = this.followed.then(() => this.follow(table));
    return this.followed;
  }

  /** Show what the address asks for now: a game, or the games to choose from; nothing if another one is to follow. */
  async follow(table) {
    if (this.wanted) await table.rested();
    const { wanted } = this;
    if (this.opening > 1) { this.opening -= 1; return; }
    if (!wanted) table.showLobby(true);
    else {
      const failed = await table.begin(wanted);
      if (failed) {
        if (!table.game && this.first) await table.open(this.first);
        table.showLobby(true);
        table.lobby.say(`This link leads to no game here: ${failed.message}`);
      } else if (wanted.ply !== null) table.go(wanted.ply);
    }
    this.opening -= 1;
    this.board = table.root.hidden ? "" : Address.told(table.game);
    this.tell(table);
  }
}

let table = null;

/**
 * Lay out the page: a board, or the games to choose from. `ask` answers requests, and `begin` the first one: a game to
 * show where the address names none and `choices.lobby` is false.
 */
async function showPage(ask, begin, choices) {
  const place = document.createElement("section"), address = new Address(new Memory());
  document.getElementById("page").append(place);
  table = new Table(place, ask, choices, address, "h1");
  table.lobby.root.firstChild.after(address.memory.root);
  address.opening += 1;
  document.addEventListener("keydown", (event) => { if (!place.contains(event.target)) table.key(event); });
  window.addEventListener("popstate", () => address.open(table));
  table.wait("The board is being laid out.");
  const failed = (error) => { table.complain(error.message); table.lobby.say(error.message); };
  if (!address.wanted && choices.lobby) table.showLobby(true); // at once: the first game may have to wait for a compiler
  table.opening = begin().then(({ game }) => {
    address.first = game;
    return address.wanted ? null : table.open(game);
  }).catch(failed);
  await table.opening;
  address.opening -= 1;
  if (address.wanted) await address.open(table);
  else address.tell(table);
  place.dataset.open = "true";
}
