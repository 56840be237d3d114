// ---- games and opponents to choose from ----------------------------------------------------------------------------

const INTRODUCTION = "You lift the seeds of a pit and drop them, one each, into the pits that follow. New to it? Begin with Kalah; each board has its Rules beside it.";
const SHOWN = 30; // games at first, where nothing is looked for
const SMALL_WORDS = new Set("a an and as at by for from game games he her his i in is it like me my of on or our play played playing she that the their they to was we where which who with".split(" "));
const SORTS = {
  "Good first games": ({ first }) => first,
  "Shortest first": ({ plies }) => plies,
  "Longest first": ({ plies }) => -plies,
  "Easiest first": ({ words }) => words,
  "Hardest first": ({ words }) => -words,
  "By name": () => 0,
};

/** A text in plain small letters and digits, with a space before each word. */
const plain = (text) => ` ${text.normalize("NFD").replace(/[\u0300-\u036f'’]/g, "").toLowerCase().replace(/[^a-z0-9]+/g, " ").trim()}`;

/** Do two words differ by one letter at most: put in, left out, changed, or swapped with the next? */
function nearly(one, other) {
  let k = 0;
  while (k < one.length && one[k] === other[k]) k += 1;
  const [rest, rests] = [one.slice(k), other.slice(k)];
  return rest.slice(1) === rests.slice(1) || rest.slice(1) === rests || rest === rests.slice(1)
    || (rest[0] === rests[1] && rest[1] === rests[0] && rest.slice(2) === rests.slice(2));
}

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
    this.cards = choices.cards.map((card) => this.card(card));
    this.words = [...new Set(this.cards.flatMap(({ facts }) => facts.flatMap(([text]) => plain(text).trim().split(" "))))];
    this.find = element("input", { type: "search", placeholder: "Name, country, people, or what happens", "aria-label": "Find a game", oninput: () => this.filter(),
      onkeydown: (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault(); // else the card would be pressed as well
        this.list.querySelector("button")?.focus();
      } });
    const select = (label, values) => element("select", { "aria-label": label, onchange: () => this.filter() },
      ...values.map(([value, text]) => element("option", { value }, text)));
    const all = (of) => [...new Set(choices.cards.flatMap(of))].filter(Boolean).sort().map((each) => [each, each]);
    this.region = select("Region", [["", "All regions"], ...all(({ region }) => region)]);
    this.rows = select("Rows", [["", "All boards"], ["1", "One row"], ["2", "Two rows"], ["3", "Three rows"], ["4", "Four rows"]]);
    this.kind = select("What happens", [["", "Whatever happens"], ...all(({ kinds }) => kinds)]);
    this.sort = select("Order", Object.keys(SORTS).map((each) => [each, each]));
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
      element("div", { class: "filters", role: "search" }, this.find, this.region, this.rows, this.kind, this.sort),
      this.told, this.list, this.rest, this.setup);
    this.watch = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) if (isIntersecting) this.picture(target);
    });
    this.filter();
  }

  card(card) {
    const { name, special, board, length, learn, family, title } = card;
    const lead = this.choices.cards.find((one) => one.name === family);
    const image = element("img", { alt: "", "data-game": name });
    const matched = element("span", { class: "matched" });
    const meta = [learn, length, board].filter(Boolean).join(" · ");
    const more = element("button", { type: "button", class: "more", "aria-expanded": "false", onclick: () => this.unfold(family, more) });
    const node = element("li", {}, element("button", { type: "button", class: "card", onclick: () => this.choose(card) },
      image, element("span", { class: "words" }, element("b", {}, title), matched, element("span", {}, special), element("span", { class: "quiet" }, meta))), more);
    const facts = [[`${title} ${name}`, 0, ""], ...card.names.map((text) => [text, 0, `Also called ${text}`]),
      ...(lead && lead !== card ? [[`${lead.title} ${lead.names.join(" ")}`, 1, `A variant of ${lead.title}`]] : []),
      ...card.places.map((text) => [text, 1, text]), ...card.happens.map((text) => [text, 2, text])];
    return { ...card, node, image, matched, more, facts, found: facts.map(([text]) => plain(text)) };
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
    if (matchMedia("(hover: hover)").matches) this.find.focus(); // on a phone it would open the keyboard over the games
  }

  /** The words to look for. What no game knows is taken for a word that is nearly the same, or left out; `notes` tell of it. */
  asked() {
    const all = plain(this.find.value).trim().split(" ").filter(Boolean), telling = all.filter((word) => !SMALL_WORDS.has(word)), notes = [];
    const words = (telling.length ? telling : all).map((word) => {
      if (this.words.some((known) => known.startsWith(word))) return word;
      const near = word.length > 3 && this.words.find((known) => nearly(word, known));
      notes.push(near ? `“${word}” was read as “${near}”.` : `Nothing is known of “${word}”.`);
      return near;
    });
    return { words: words.filter(Boolean), notes };
  }

  /** What of a card fits all words and filters: [how far from its name, the card, facts]; null if it does not fit. */
  fitting(card, words) {
    const { region, rows, kind } = this;
    if ((region.value && card.region !== region.value) || (rows.value && card.rows !== Number(rows.value))) return null;
    if (kind.value && !card.kinds.includes(kind.value)) return null;
    const hits = words.map((word) => card.found.findIndex((text) => text.includes(` ${word}`)));
    if (hits.includes(-1)) return null;
    const facts = [...new Set(hits)].map((hit) => card.facts[hit]);
    return { card, far: facts.reduce((sum, [, far]) => sum + far, 0), matched: facts.map(([, , text]) => text).filter(Boolean).join(" · ") };
  }

  /** Show what fits, one card for each family, and the rest of a family that is open; all of it, if `whole`. */
  filter(whole = false) {
    const { words, notes } = this.asked(), families = new Map(), key = SORTS[this.sort.value];
    const nothing = notes.length > 0 && !words.length;
    const fits = nothing ? [] : this.cards.map((card) => this.fitting(card, words)).filter(Boolean);
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
  async choose({ name, title, aim, length, options = [], guided }, position = undefined) {
    const { table } = this, first = position ? table.game : this.choices.first;
    const known = this.choices.rated[name];
    const chosen = Object.fromEntries(options.map(([option, , , value]) => [option, value]));
    const select = (label, values, value, change) => {
      const list = element("select", { "aria-label": label, onchange: change }, ...values);
      if (value !== undefined) list.value = value;
      return [list, element("label", { class: "field" }, element("span", {}, label), list)];
    };
    const option = (value, text) => element("option", { value }, text);
    const [against, opponent] = select("Opponent", []);
    const [seat, place] = select("You are", [option(0, position ? "South" : "South, who begins"), option(1, "North")], first.seat);
    const seed = element("input", { type: "number", min: 0, step: 1, value: first.seed, "aria-label": "Seed" });
    const spec = () => {
      const changed = options.filter(([one, , , value]) => chosen[one] !== value).map(([one]) => `${one}=${chosen[one]}`);
      return changed.length ? `${name}${name.includes(":") ? "," : ":"}${changed.join()}` : name;
    };
    const refill = async () => {
      const { opponents, alone } = known && spec() === name ? { opponents: known, alone: !known.length } : await table.ask({ command: "opponents", rules: spec() });
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
    const begin = (who, guided = false) => {
      this.setup.close();
      return table.begin({ rules: spec(), against: who, seat: this.alone ? 0 : Number(seat.value), seed: Number(seed.value), position, guided });
    };
    const edit = () => begin(this.alone ? against.value : "person").then((failed) => failed || table.editor.open());
    this.setup.replaceChildren(element("form", { onsubmit: (event) => {
      event.preventDefault();
      begin(against.value, event.submitter?.value === "guided");
    } }, element("h2", {}, title), element("p", {}, aim), ...(length ? [element("p", { class: "quiet" }, length)] : []), opponent, place, ...more,
    element("details", {}, element("summary", {}, "More"), element("label", { class: "field" }, element("span", {}, "Seed of its random choices"), seed)),
    element("div", { class: "controls" }, element("button", { class: "go" }, "Play"),
      ...(guided ? [element("button", { value: "guided", title: "Before each of your first ten moves a sentence says what to look at" }, "First game, guided")] : []),
      ...(position ? [] : [table.button("Set up a position", "", "", edit)]),
      table.button("Cancel", "", "", () => this.setup.close()))));
    (position ? table.root : this.root).append(this.setup); // where it can be seen
    this.setup.showModal();
  }
}
