// ---- games and opponents to choose from ----------------------------------------------------------------------------

const INTRODUCTION = "In all of these you lift the seeds of a pit and drop them, one each, into the pits that follow. New to them? Begin with Kalah; each board has its Rules beside it.";

/** How much of what is waited for is done, from 0 to 1, or null where nobody knows; without it, nothing is waited for. */
function fillBar(bar, share) {
  bar.hidden = share === undefined;
  if (share) bar.value = share;
  else bar.removeAttribute("value");
}

/**
 * Cards of games. `choices` are {cards: [[name, title, aim, length], ...], first: {rules, against, seat, seed}, rated}:
 * [name, level, told] of those who play a game, which is asked for where it is not there.
 */
class Lobby {
  constructor(table, choices) {
    this.table = table;
    this.choices = choices;
    this.cards = choices.cards.map((card) => this.card(...card));
    this.find = element("input", { type: "search", placeholder: "a part of its name", "aria-label": "Find a game", oninput: () => this.filter() });
    this.none = element("p", { hidden: "" }, "No game has such a name.");
    this.says = element("p", { class: "note", role: "status", hidden: "" });
    this.bar = element("progress", { "aria-label": "Waiting", hidden: "" });
    this.setup = element("dialog", { class: "setup", "aria-label": "A new game" });
    this.root = element("section", { class: "player lobby", hidden: "", "aria-label": "Games" },
      element("header", {}, element(table.heading.localName, { class: "title" }, "Choose a game"), element("p", {}, INTRODUCTION), this.says, this.bar, element("div", { class: "tools" }, this.find,
        table.button("Back to the board", "", "", () => table.showLobby(false)))),
      element("ul", { class: "cards" }, ...this.cards.map(({ node }) => node)), this.none, this.setup);
    this.watch = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) if (isIntersecting) this.picture(target);
    });
  }

  card(name, title, aim, length) {
    const image = element("img", { alt: "", "data-game": name });
    const node = element("li", {}, element("button", { type: "button", class: "card", onclick: () => this.choose(name, title, aim, length) },
      image, element("b", {}, title), element("span", {}, aim), element("span", { class: "quiet" }, length)));
    return { node, image, text: `${name.replaceAll("_", " ")} ${title} ${name}`.toLowerCase() };
  }

  /** Say what the page waits for, over a bar as Table.wait has it, or why it is here. */
  say(text, share) {
    this.says.textContent = text;
    this.says.hidden = !text;
    fillBar(this.bar, share);
  }

  show(on) {
    this.root.hidden = !on;
    if (!on) { this.setup.close(); this.say(""); return; }
    const dark = isDark(this.root);
    for (const { image } of this.cards) {
      if (dark !== this.dark) image.removeAttribute("src"); // pictures are light or dark as the page is
      if (!image.getAttribute("src")) this.watch.observe(image);
    }
    this.dark = dark;
    this.find.focus();
  }

  filter() {
    const words = this.find.value.toLowerCase().split(/\s+/);
    for (const { node, text } of this.cards) node.hidden = !words.every((word) => text.includes(word));
    this.none.hidden = this.cards.some(({ node }) => !node.hidden);
  }

  async picture(image) {
    this.watch.unobserve(image);
    try {
      const { svg } = await this.table.ask({ command: "picture", rules: image.dataset.game, dark: isDark(this.root) });
      image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    } catch { /* a card without a picture */ }
  }

  /** Ask for the opponent, the seat and the options of a game. */
  async choose(name, title, aim, length = "") {
    const { first } = this.choices, { table } = this;
    const known = this.choices.rated[name];
    const { options } = known ? { options: [] } : await table.ask({ command: "opponents", rules: name });
    const chosen = Object.fromEntries(options.map(([option, , , value]) => [option, value]));
    const select = (label, values, value, change) => {
      const list = element("select", { "aria-label": label, onchange: change }, ...values);
      if (value !== undefined) list.value = value;
      return [list, element("label", { class: "field" }, element("span", {}, label), list)];
    };
    const option = (value, text) => element("option", { value }, text);
    const [against, opponent] = select("Opponent", []);
    const [seat, place] = select("You are", [option(0, "South, who begins"), option(1, "North")], first.seat);
    const seed = element("input", { type: "number", min: 0, step: 1, value: first.seed, "aria-label": "Seed" });
    const spec = () => {
      const changed = options.filter(([one, , , value]) => chosen[one] !== value).map(([one]) => `${one}=${chosen[one]}`);
      return changed.length ? `${name}${name.includes(":") ? "," : ":"}${changed.join()}` : name;
    };
    const refill = async () => {
      const { opponents, alone } = known ? { opponents: known, alone: !known.length } : await table.ask({ command: "opponents", rules: spec() });
      const kept = opponents.some(([one]) => one === against.value) ? against.value
        : opponents.some(([one]) => one === first.against) ? first.against : opponents[0]?.[0];
      const levels = [...new Set(opponents.map(([, level]) => level))];
      against.replaceChildren(...levels.map((level) => element("optgroup", { label: level },
        ...opponents.filter(([, each]) => each === level).map(([one, , told]) => option(one, told)))));
      against.value = kept;
      opponent.hidden = place.hidden = alone;
      this.alone = alone;
    };
    const more = options.map(([one, about, values, value]) => select(
      `${about[0].toUpperCase()}${about.slice(1)}`, values.map(([each, words]) => option(each, each === value ? `${words} (as usual)` : words)), value,
      (event) => { chosen[one] = event.target.value; refill(); })[1]);
    await refill();
    this.setup.replaceChildren(element("form", { onsubmit: (event) => {
      event.preventDefault();
      this.setup.close();
      table.begin({ rules: spec(), against: against.value, seat: this.alone ? 0 : Number(seat.value), seed: Number(seed.value) });
    } }, element("h2", {}, title), element("p", {}, aim), ...(length ? [element("p", { class: "quiet" }, length)] : []), opponent, place, ...more,
    element("details", {}, element("summary", {}, "More"), element("label", { class: "field" }, element("span", {}, "Seed of its random choices"), seed)),
    element("div", { class: "controls" }, element("button", { class: "go" }, "Play"),
      table.button("Cancel", "", "", () => this.setup.close()))));
    this.setup.showModal();
  }
}
