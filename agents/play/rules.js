// ---- the rules of a game, beside its board -------------------------------------------------------------------------

/** What the signs on a board mean: pairs of a picture and words, of those that this board can have. */
function legend(board) {
  const cell = [0.5, 0.5, 0.8, 0.8, 1], sign = (...shapes) => drawn("svg", { viewBox: "-.12 -.12 1.24 1.24", "aria-hidden": "true" }, ...shapes);
  const pit = () => disc(0.5, 0.5, 0.4, "words", 0.35), whose = board.counted === "to clear" ? "'s block" : "'s pits";
  const owned = board.at.owner !== undefined || board.tiles.some((owner) => owner !== NOBODY);
  const players = PLAYERS.slice(0, board.players).map((name, player) => [name, player]);
  return [
    ...(owned ? players.map(([name, player]) => [sign(...tile(board, cell, player), pit()), `${name}${whose}`]) : []),
    ...(board.at.marks === undefined ? [] : players.map(([, player]) =>
      [sign(pit(), ...markShapes(board, cell, player).flat()), `a marked pit: ${board.marked[player]}`])),
    ...(board.at.closed === undefined ? [] : [[sign(pit(), ...cross(board, cell)), "closed in this game: seeds pass over it"]]),
    [sign(pit(), ...playableRing(cell, false)), "you can play this pit"],
    [sign(pit(), ...rings(board, cell, true, false)), "the pit played last"],
    [sign(pit(), tint(cell, 0.8)), "a seed has fallen here; the stronger the colour, the later"],
    ...(board.captures ? [[sign(pit(), ...rings(board, cell, false, true)), "captured by the last move"]] : []),
  ];
}

/** A drawer with the rules in words and the meaning of signs. */
class Rules {
  constructor(table) {
    this.table = table;
    this.inside = element("div", {});
    this.root = element("dialog", { class: "drawer", "aria-label": "Rules" },
      table.button("Close", "Close the rules", "Esc", () => this.root.close(), "close"), this.inside);
    this.root.addEventListener("keydown", (event) => { if (event.key === "Escape") this.root.close(); });
  }

  /** Another game: its rules are asked for when they are wanted. */
  forget() {
    this.known = false;
    if (this.root.open) this.fill();
  }

  toggle() {
    if (this.root.open) this.root.close();
    else {
      this.root.show();
      this.fill();
    }
  }

  async fill() {
    if (this.known) return;
    this.known = true;
    try { await this.tell(); } catch (error) {
      this.known = false; // it can be asked for again
      this.inside.replaceChildren(element("p", { role: "alert" }, error.message));
    }
  }

  async tell() {
    this.inside.replaceChildren(...this.waiting("The rules are being fetched."));
    const { title, aim, about, numbers, sections, drawn, picture } = await this.table.ask({ command: "rules", dark: isDark(this.root) });
    const numbered = (text) => /^\d+\. /.test(text);
    const lines = (sentences) => sentences.map((text) => (text === drawn ? element("img", { alt: text, src: `data:image/svg+xml,${encodeURIComponent(picture)}` })
      : element("p", numbered(text) ? { class: "clause" } : {}, text)));
    const { board, orientation, picture: { upright } } = this.table, [left, right] = orientation ? ["right", "left"] : ["left", "right"];
    const turned = `Your screen is narrow: the board stands upright, with South's side at its ${left}, North's at its ${right}.`;
    this.inside.replaceChildren(element("h2", {}, title), element("p", { class: "aim" }, aim), ...[about, upright && board.players > 1 && turned].filter(Boolean).map((text) => element("p", {}, text)),
      element("h3", {}, "What the signs mean"),
      element("ul", { class: "legend" }, ...legend(board).map(([sign, text]) => element("li", {}, sign, element("span", {}, text)))),
      element("h3", {}, "What the numbers mean"), ...lines(numbers),
      ...sections.flatMap(([heading, sentences]) => [element("h3", {}, heading), ...lines(sentences)]));
    const looked = this.waiting("Moves that show these rules are being looked for.");
    this.inside.append(...looked);
    await this.offer();
    for (const one of looked) one.remove();
  }

  waiting(text) {
    return [element("p", { class: "quiet", role: "status" }, text), element("progress", { "aria-label": "Waiting" })];
  }

  /** Buttons beside the rules of which there is an example; those of ends, which no sentence tells apart, after the last. */
  async offer() {
    const { found } = await this.table.ask({ command: "example" });
    const told = new Map([...this.inside.querySelectorAll("p")].map((line) => [line.textContent, line]));
    const ends = element("p", { class: "ends" }, "Ends to look at:");
    for (const { of, sentence, face } of found) {
      const line = told.get(sentence), isEnd = of.startsWith("end"), rule = face === "Show me" ? sentence.replace(/^\d+\. /, "") : `${face.replace("Show ", "")}.`;
      if (isEnd) line.after(ends);
      (isEnd ? ends : line).append(" ", this.table.button(face, isEnd ? "" : `${face}: ${sentence}`, "", () => this.show(of, isEnd ? "" : rule), "show"));
    }
  }

  show(of, rule) {
    const { left } = this.root.getBoundingClientRect(), { right } = this.table.stage.getBoundingClientRect();
    if (left < right) this.root.close(); // it would hide the board
    this.table.example(of, rule);
  }
}
