// ---- games and opponents to choose from ----------------------------------------------------------------------------

const INTRODUCTION = "You lift the seeds of a pit and drop them, one each, into the pits that follow. New to it? Begin with Kalah; each board has its Rules beside it.";
const SHOWN = 30; // games at first, where nothing is looked for
const SORTS = {
  "Good first games": ({ first }) => first,
  "Shortest first": ({ plies }) => plies,
  "Longest first": ({ plies }) => -plies,
  "Easiest first": ({ words }) => words,
  "Hardest first": ({ words }) => -words,
  "By name": () => 0,
};

/** How much of what is waited for is done, from 0 to 1, or null where nobody knows; without it, nothing is waited for. */
function fillBar(bar, share) {
  bar.hidden = share === undefined;
  if (share) bar.value = share;
  else bar.removeAttribute("value");
}

/**
 * Cards of games. `choices` are {cards: [what `cards` of lobby.py tells, ...], first: {rules, against, seat, seed}, rated}:
 * [name, level, told] of those who play a game, which is asked for where it is not there.
 */
class Lobby {
  constructor(table, choices) {
    this.table = table;
    this.choices = choices;
    this.finder = new Finder(choices.cards, () => this.filter());
    this.cards = this.finder.cards.map((card) => Object.assign(card, this.card(card)));
    const { find, region, rows, kind } = this.finder;
    find.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // else the card would be pressed as well
      this.list.querySelector("button")?.focus();
    });
    this.sort = this.finder.select("Order", Object.keys(SORTS).map((each) => [each, each]));
    this.told = element("p", { class: "quiet told", role: "status" });
    this.says = element("p", { class: "note", role: "status", hidden: "" });
    this.bar = element("progress", { "aria-label": "Waiting", hidden: "" });
    this.list = element("ul", { class: "cards" });
    this.open = new Set(); // families whose variants are shown
    this.rest = element("button", { type: "button", class: "rest", onclick: () => {
      this.filter(true);
      this.list.children[SHOWN]?.querySelector("button").focus();
    } });
    this.setup = element("dialog", { class: "setup", "aria-label": "A new game" });
    this.root = element("section", { class: "player lobby", hidden: "", "aria-label": "Games" },
      element("header", {}, element(table.heading.localName, { class: "title" }, "Choose a game"), element("p", {}, INTRODUCTION), this.says, this.bar,
        element("div", { class: "tools" }, table.button("Back to the board", "", "", () => table.showLobby(false)))),
      element("div", { class: "filters", role: "search" }, find, region, rows, kind, this.sort),
      this.told, this.list, this.rest, this.setup);
    this.watch = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) if (isIntersecting) this.picture(target);
    });
    this.filter();
  }

  card(card) {
    const { name, title, special, board, length, learn, family } = card;
    const image = element("img", { alt: "", "data-game": name });
    const matched = element("span", { class: "matched" });
    const meta = [board, length, learn].filter(Boolean).join(" · ");
    const more = element("button", { type: "button", class: "more", "aria-expanded": "false", onclick: () => this.unfold(family, more) });
    const node = element("li", {}, element("button", { type: "button", class: "card", onclick: () => this.choose(card) },
      image, element("span", { class: "words" }, element("b", {}, title), matched, element("span", {}, special), element("span", { class: "quiet" }, meta))), more);
    return { node, image, matched, more };
  }

  /** Say what the page waits for, over a bar as Table.wait has it, or why it is here. */
  say(text, share) {
    this.says.textContent = text;
    this.says.hidden = !text;
    this.says.classList.toggle("failed", share === undefined);
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
    if (matchMedia("(hover: hover)").matches) this.finder.find.focus(); // on a phone it would open the keyboard over the games
  }

  /** Show what fits, one card for each family, and the rest of a family that is open; all of it, if `whole`. */
  filter(whole = false) {
    const { fits, notes } = this.finder.fits(), families = new Map(), key = SORTS[this.sort.value];
    for (const fit of fits) families.set(fit.card.family, [...(families.get(fit.card.family) ?? []), fit]);
    const own = ({ card }) => Number(card.name !== card.family);
    const groups = [...families.values()].map((group) => group.sort((a, b) => a.far - b.far || own(a) - own(b)));
    groups.sort(([{ far, card }], [{ far: further, card: other }]) => far - further || key(card) - key(other) || card.title.localeCompare(other.title));
    const shown = whole ? groups : groups.slice(0, SHOWN);
    this.list.replaceChildren(...shown.flatMap(([first, ...variants]) => {
      const { card: { more, family, title } } = first, open = this.open.has(family), many = variants.length;
      more.replaceChildren(`+${many}`, element("span", {}, many === 1 ? " variant" : " variants"));
      more.setAttribute("aria-label", `+${many} variants of ${title}`);
      more.setAttribute("aria-expanded", open);
      for (const { card: { node, matched, more: button }, matched: text } of [first, ...variants]) {
        node.classList.toggle("variant", button !== more);
        button.hidden = button !== more || !variants.length;
        matched.textContent = text;
      }
      return open ? [first, ...variants] : [first];
    }).map(({ card: { node } }) => node));
    this.rest.hidden = shown.length === groups.length;
    this.rest.textContent = `Show all ${groups.length}`;
    const count = fits.length === this.cards.length ? `${fits.length} games, ${groups.length} without their variants.`
      : `${fits.length || "No"} ${fits.length > 1 ? "games fit" : "game fits"}.`;
    this.told.textContent = [...notes, count].join(" ");
  }

  unfold(family, button) {
    if (!this.open.delete(family)) this.open.add(family);
    this.filter(this.rest.hidden);
    button.focus();
  }

  async picture(image) {
    this.watch.unobserve(image);
    try {
      const { svg } = await this.table.ask({ command: "picture", rules: image.dataset.game, dark: isDark(this.root) });
      image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    } catch { /* a card without a picture */ }
  }

  /** Ask for the opponent, the seat and the options of a game. */
  async choose({ name, title, aim, length, alone, options = [], guided }, position = undefined, first = this.choices.first) {
    const { table, choices: { measured, rated: { [name]: known } } } = this;
    const chosen = Object.fromEntries(options.map(([option, , , value]) => [option, value]));
    const select = (label, values, value, change) => {
      const list = element("select", { "aria-label": label, onchange: change }, ...values);
      if (value !== undefined) list.value = value;
      return [list, element("label", { class: "field" }, element("span", {}, label), list)];
    };
    const option = (value, text) => element("option", { value }, text);
    const [against, opponent] = select("Opponent", []);
    const [seat, place] = select("You are", [option(0, position ? "South" : "South, who begins"), option(1, "North")], first.seat);
    const goal = element("p"), long = element("p", { class: "quiet" }), seed = element("input", { type: "number", min: 0, step: 1, value: first.seed });
    const spec = () => {
      const changed = options.filter(([one, , , value]) => chosen[one] !== value).map(([one]) => `${one}=${chosen[one]}`);
      return changed.length ? `${name}${name.includes(":") ? "," : ":"}${changed.join()}` : name;
    };
    const refill = async () => {
      const here = known && spec() === name && { opponents: known, aim, length };
      const { opponents, ...told } = here || await table.ask({ command: "opponents", rules: spec() });
      const kept = opponents.some(([one]) => one === against.value) ? against.value
        : opponents.some(([one]) => one === first.against) ? first.against : opponents[0]?.[0];
      const levels = [...new Set(opponents.map(([, level]) => level))].map((level) => [level, opponents.filter(([, each]) => each === level).map(([one, , told]) => option(one, told))]);
      against.replaceChildren(...levels.flatMap(([label, each]) => (each.length > 1 ? element("optgroup", { label }, ...each) : each)));
      against.value = kept;
      [goal.textContent, long.textContent] = [told.aim, told.length];
    };
    const more = options.map(([one, about, values, value]) => select(
      `${about[0].toUpperCase()}${about.slice(1)}`, values.map(([each, words]) => option(each, each === value ? `${words} (as usual)` : words)), value,
      (event) => { chosen[one] = event.target.value; refill(); })[1]);
    await refill();
    opponent.hidden = place.hidden = alone;
    const wanted = () => ({ against: against.value, seat: alone ? 0 : Number(seat.value), seed: Number(seed.value) });
    const begin = (more) => {
      this.setup.close();
      return table.begin({ rules: spec(), position, ...wanted(), ...more }).finally(() => table.stage.focus({ preventScroll: true }));
    };
    const edit = () => begin(alone ? {} : { against: "person" }).then((failed) => failed || table.editor.open(wanted()));
    const about = element("details", {}, element("summary", {}, "About the opponents"), ...(measured[name] ?? measured[""] ?? []).map((text) => element("p", { class: "quiet" }, text)), element("label", { class: "field" }, element("span", {}, "Number that fixes its random choices"), seed));
    this.setup.replaceChildren(element("form", { onsubmit: (event) => {
      event.preventDefault();
      begin(event.submitter?.value === "guided" ? { guided: true, against: against.options[0].value } : {}); // the weakest: a first game may be won
    } }, element("h2", {}, title), goal, long, opponent, place, ...more,
    ...(alone ? [] : [about]),
    element("div", { class: "controls" }, element("button", { class: "go" }, "Play"),
      ...(guided ? [element("button", { value: "guided", title: "Against the weakest; before each of your first ten moves a sentence says what to look at" }, "First game, guided")] : []),
      ...(position ? [] : [table.button("Set up a position", "", "", edit)]),
      table.button("Cancel", "", "", () => this.setup.close()))));
    (position ? table.root : this.root).append(this.setup); // where it can be seen
    this.setup.showModal();
  }
}
