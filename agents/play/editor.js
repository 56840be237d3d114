// ---- a position to set up --------------------------------------------------------------------------------------------

/** A dialog that changes a position: its seeds, owners, marks and mover, or a line that is pasted. Python says whether there is such a one. */
class Editor {
  constructor(table) {
    this.table = table;
    const field = (text, node) => element("label", { class: "field" }, text, node), { button } = table;
    const list = (label, values, part) => {
      const node = element("select", { "aria-label": label, onchange: () => this.set(part, Number(node.value)) },
        ...values.map((text, k) => element("option", { value: k + 2 - values.length }, text)));
      this.parts[part] = node;
      return field(element("span", {}, label), node);
    };
    this.parts = { seeds: element("input", { type: "number", min: 0, onchange: () => this.set("seeds", Number(this.parts.seeds.value)) }) };
    this.named = element("span");
    this.stage = element("div", { class: "stage", onclick: () => this.parts.seeds.select(), onkeydown: (event) => this.key(event),
      onfocusin: ({ target }) => this.choose(Number(target.dataset.cell)) });
    this.line = element("input", { spellcheck: "false", onchange: () => this.ask({ text: this.line.value }) });
    this.says = element("p", { class: "says", role: "status" });
    this.go = button("Play from here", "", "", () => this.begin(), "go");
    this.against = button("Other opponent", "", "", () => this.begin(true));
    this.root = element("dialog", { class: "setup editor", "aria-label": "Set up a position", onclose: () => this.stage.replaceChildren() }, this.stage,
      element("div", { class: "controls" }, field(this.named, this.parts.seeds), list("Owner", PLAYERS, "owner"), list("Mark", ["none", ...PLAYERS], "marks"),
        list("To move", PLAYERS, "player")),
      this.says, field(element("span", {}, "As text: copy it, or paste another"), this.line),
      element("div", { class: "controls" }, this.go, this.against, button("Cancel", "", "", () => this.root.close())));
  }

  /** Begin with the position that is looked at; what is `wanted` says who plays on from it. */
  async open(wanted = {}) {
    const { board, orientation, game, looked } = this.table, { rules, against, seat, seed } = game;
    this.wanted = { rules, against, seat, seed, ...wanted };
    this.places = { seeds: 0, player: board.at.mover, owner: board.at.owner, marks: board.at.marks };
    this.picture = fitting(board, orientation);
    this.picture.verb = "Change";
    this.stage.replaceChildren(this.picture.svg);
    this.cell = 0;
    this.parts.player.parentNode.hidden = board.players === 1;
    this.root.showModal();
    await this.ask(looked);
    this.picture.cells[0].group.focus();
  }

  async ask(about) {
    const asked = this.asked = {}, told = await this.table.request("position", about).catch(({ message }) => ({ refused: message }));
    if (asked !== this.asked) return;
    if (told.row) {
      this.row = Int16Array.from(told.row);
      this.fields = told.fields;
      this.line.value = told.text;
    }
    this.says.textContent = told.refused;
    this.says.classList.toggle("failed", Boolean(told.refused));
    this.go.disabled = this.against.disabled = Boolean(told.refused);
    this.show();
  }

  show() {
    this.picture.show(this.row, [], false, NO_MOVE);
    this.picture.offer(this.picture.cells.keys());
    this.choose(this.cell);
  }

  /** What is said of one pit or store, and of the mover. */
  choose(cell) {
    const { row, places, parts, table: { board } } = this;
    this.cell = cell;
    this.named.textContent = `Seeds: ${board.titles[cell]}`;
    for (const [part, node] of Object.entries(parts)) {
      if (part !== "player" && part !== "seeds") node.parentNode.hidden = places[part] === undefined || cell >= board.pits;
      node.value = row[places[part] + (part === "player" ? 0 : cell)];
    }
    this.picture.cells.forEach(({ choice }, each) => choice.classList.toggle("hinted", each === cell));
  }

  set(part, value) {
    const at = part === "player" ? 0 : this.cell;
    this.row[this.places[part] + at] = this.fields[part][at] = value;
    this.show();
    return this.ask({ fields: this.fields });
  }

  key(event) {
    const by = { "+": 1, "-": -1 }[event.key];
    if (by) this.set("seeds", Math.max(0, this.row[this.cell] + by));
    if (event.key === "Enter") this.parts.seeds.select();
    if (by || event.key === "Enter") event.preventDefault();
  }

  /** Play on, as was wanted, or after the choice of an opponent. */
  begin(choosing = false) {
    const { table, wanted } = this, { title, aim } = table.game, position = this.line.value;
    this.root.close();
    if (choosing) table.lobby.choose(wanted.rules, title, aim, "", position);
    else table.begin({ ...wanted, position });
  }
}
