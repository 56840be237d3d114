// ---- what this device remembers: the last games, and light or dark, sounds ---------------------------------------------

const PLACE = "mancala"; // in the storage of the browser
const MOST = 20; // games that are remembered

/** The last games with their results, as links, the theme, and whether there are sounds: kept on this device alone, until they are forgotten. */
class Memory {
  constructor() {
    this.kept = this.read();
    const page = document.documentElement;
    for (const name of ["theme", "sound"]) if (this.kept[name]) page.dataset[name] = this.kept[name];
    new MutationObserver(() => this.write({ theme: page.dataset.theme, sound: page.dataset.sound })).observe(page, { attributeFilter: ["data-theme", "data-sound"] });
    this.list = element("ul", { "aria-label": "Your last games" });
    this.forgetButton = element("button", { type: "button", onclick: () => this.forget() });
    this.root = element("details", { class: "remembered" }, element("summary", {}, "Your last games"), this.list,
      element("p", { class: "quiet" }, "They are remembered on this device alone."),
      element("div", { class: "controls" }, element("button", { type: "button", onclick: () => download("mancala-games.json", JSON.stringify(this.kept, null, 2), "application/json") }, "Export"), this.forgetButton));
    window.addEventListener("storage", () => { this.kept = this.read(); this.show(); }); // another tab has written
    this.show();
  }

  /** What was kept, by any tab; what this one knows where the browser keeps nothing, or something else lies there. */
  read() {
    try {
      const { games = [], theme, sound } = JSON.parse(localStorage.getItem(PLACE)) ?? {};
      return { games: games.filter(({ address }) => address.startsWith("#")), theme, sound };
    } catch {
      return this.kept ?? { games: [] };
    }
  }

  write(changed) {
    this.kept = { ...this.read(), ...changed };
    try {
      localStorage.setItem(PLACE, JSON.stringify(this.kept));
    } catch { /* a browser that keeps nothing */ }
  }

  /** The game on the board, once somebody has moved: in the place of what was remembered of it, which is where it stood before, or what this tab kept. */
  keep({ game, last }, address) {
    const isOver = game.turn === "over", result = isOver ? game.result : `after move ${last}`;
    if (!last || this.seen === address + result) return; // nor what was forgotten while it is on the board
    this.seen = address + result;
    const { games } = this.read(), was = (each) => each.address === this.own || `${address}.`.startsWith(`${each.address}.`);
    if (games.some((each) => each.address === address && (!isOver || each.result === result))) return;
    const one = { address, title: game.title, result, date: new Date().toISOString(), game: Address.told(game) };
    this.write({ games: [one, ...games.filter((each) => each.game !== one.game || !was(each))].slice(0, MOST) });
    this.own = address;
    this.show();
  }

  /** Was the game of this address played here? */
  knows(address) {
    return this.read().games.some((each) => each.address === address.replace(/&ply=\d+$/, ""));
  }

  show() {
    const { games } = this.kept;
    this.root.hidden = !games.length;
    this.forgetButton.textContent = "Forget";
    this.list.replaceChildren(...games.map(({ address, title, result, date }) => element("li", {}, element("a", { href: address }, title),
      element("span", {}, result), element("time", { class: "quiet", datetime: date }, new Date(date).toLocaleDateString()))));
  }

  forget() {
    if (this.forgetButton.textContent === "Forget") {
      this.forgetButton.textContent = "Forget: sure?";
      return;
    }
    try {
      localStorage.removeItem(PLACE);
    } catch { /* a browser that keeps nothing */ }
    this.kept = { games: [] };
    this.show();
  }
}
