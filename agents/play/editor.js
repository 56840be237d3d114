// ---- a position to set up --------------------------------------------------------------------------------------------

/** A dialog that changes a position: seeds, owners, marks and the mover, or a line that is pasted. Python says what is possible. */
class Editor {
  constructor(table) {
    this.table = table;
    const list = (...names) => element("select", {}, ...names.map((name, k) => element("option", { value: k + 2 - names.length }, name)));
    this.parts = { seeds: element("input", { type: "number", min: 0 }), owner: list(...PLAYERS), marks: list("none", ...PLAYERS), mover: list(...PLAYERS) };
    const typed = ({ key }) => { if (/^(\d|Enter)$/.test(key)) this.parts.seeds.select(); };
    this.stage = element("div", { class: "stage", onclick: () => this.parts.seeds.select(), onkeydown: typed,
      onfocusin: ({ target: { dataset: { cell } } }) => cell && this.choose(Number(cell)) });
    this.line = element("input", { spellcheck: "false", onchange: () => this.ask({ text: this.line.value }) });
    this.says = element("p", { class: "refused", role: "status" });
    this.go = table.button("Play from here", "", "", () => this.play(), "go");
    const names = { seeds: "Seeds", owner: "Owner", marks: "Mark", mover: "To move" };
    const fields = Object.entries(this.parts).map(([part, node]) => {
      node.addEventListener("change", () => this.set(part, Number(node.value)));
      return element("label", { class: "field" }, element("span", {}, names[part]), node);
    });
    this.root = element("dialog", { class: "editor", "aria-label": "Set up a position", onclose: () => this.stage.replaceChildren() },
      this.stage, element("div", { class: "fields" }, ...fields), this.says,
      element("label", { class: "field" }, element("span", {}, "As text, to copy, or to paste another"), this.line),
      element("div", { class: "controls" }, this.go, table.button("Cancel", "", "", () => this.root.close())));
  }

  /** Begin with the position that is looked at; `chosen` has the opponent, the seat and the seed for afterwards. */
  open(chosen = this.table.game) {
    this.chosen = chosen;
    const { board, orientation, rows, ply, looked } = this.table;
    this.picture = fitting(board, orientation);
    this.picture.verb = "Change";
    this.stage.replaceChildren(this.picture.svg);
    this.show({ row: Array.from(rows[ply]), cell: 0 });
    this.root.showModal();
    return this.ask(looked);
  }

  async ask(about) {
    const asked = this.asked = {}, told = await this.table.request("position", about).catch(({ message }) => ({ refused: message }));
    if (asked !== this.asked) return;
    if (told.row) this.show({ row: told.row, text: this.line.value = told.text });
    else if (about.row) this.line.value = ""; // there is no text of what cannot be
    this.stage.classList.toggle("before", !told.row && !about.row); // nor a board of what cannot be read
    this.says.textContent = told.refused;
    this.go.disabled = Boolean(told.refused);
  }

  show(changed) {
    Object.assign(this, changed);
    this.picture.show(Int16Array.from(this.row), [], false, NO_MOVE);
    this.picture.offer(this.picture.cells.keys());
    this.choose(this.cell);
  }

  /** Where in a row a part of the chosen pit or store, or the mover, stands; not a number where there is none. */
  at(part) {
    const { board: { at, pits, players } } = this.table;
    if (part === "mover") return players > 1 ? at.mover : NaN;
    return part === "seeds" ? this.cell : this.cell < pits ? at[part] + this.cell : NaN;
  }

  choose(cell) {
    this.cell = cell;
    for (const [part, node] of Object.entries(this.parts)) {
      node.parentNode.hidden = Number.isNaN(this.at(part));
      node.value = this.row[this.at(part)];
    }
    this.parts.seeds.previousSibling.textContent = `Seeds: ${this.table.board.titles[cell]}`;
    this.picture.cells.forEach(({ choice }, each) => choice.classList.toggle("hinted", each === cell));
  }

  set(part, value) {
    this.row[this.at(part)] = value;
    this.show();
    return this.ask({ row: this.row, text: this.text });
  }

  /** Choose who plays on from there. */
  play() {
    const { game: { rules, title, aim }, board: { players } } = this.table;
    this.root.close();
    this.table.lobby.choose({ name: rules, title, aim, alone: players === 1 }, this.line.value, this.chosen);
  }
}
