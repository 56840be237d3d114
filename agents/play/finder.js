// ---- games, or other rows, found by words and filters --------------------------------------------------------------

const SMALL_WORDS = new Set("a an and as at by for from game games he her his i in is it like me my of on or our play played playing she that the their they to was we where which who with".split(" "));

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

/** How what a word asks for may begin: "ghanaian" also as "ghana" does. */
const beginnings = (word) => [word, word.replace(/(i?an|ean|[nl]?ese|ish|i)s?$/, "")].filter((form, k) => !k || form.length > 3);

/**
 * The controls, and what they find among `cards`: what `cards` of lobby.py tells of games, or what has as much of it as is
 * known. `changed` is called when something else is looked for.
 */
class Finder {
  constructor(cards, changed, label = "Find a game", placeholder = "Name, country, people, or what happens") {
    this.cards = cards.map((card) => ({ ...card, ...this.facts(card, cards) }));
    this.words = [...new Set(this.cards.flatMap(({ found }) => found.flatMap((text) => text.trim().split(" "))))];
    this.changed = changed;
    this.find = element("input", { type: "search", placeholder, "aria-label": label, oninput: changed });
    const all = (of) => [...new Set(cards.flatMap(of))].filter(Boolean).sort().map((each) => [each, each]);
    this.region = this.select("Region", [["", "All regions"], ...all(({ region }) => region)]);
    this.rows = this.select("Rows", [["", "All boards"], ["1", "One row"], ["2", "Two rows"], ["3", "Three rows"], ["4", "Four rows"]]);
    this.kind = this.select("What happens", [["", "Whatever happens"], ...all(({ kinds }) => kinds)]);
  }

  select(label, values) {
    return element("select", { "aria-label": label, onchange: this.changed }, ...values.map(([value, text]) => element("option", { value }, text)));
  }

  /** What a card is found by: [text, how far it is from its name, how it is told when it was found]. */
  facts(card, cards) {
    const { name, title, family } = card, lead = cards.find((one) => one.name === family);
    const facts = [[`${title} ${name}`, 0, ""], ...card.names.map((text) => [text, 0, `Also called ${text}`]),
      ...(lead && lead !== card ? [[`${lead.title} ${lead.names.join(" ")}`, 1, `A variant of ${lead.title}`]] : []),
      ...card.places.map((text) => [text, 1, text.split(": ").at(-1)]), ...card.happens.map((text) => [text, 2, text])];
    return { facts, found: facts.map(([text]) => plain(text)) };
  }

  /** The words to look for. What no game knows is taken for a word that is nearly the same, or left out; `notes` tell of it. */
  asked() {
    const all = plain(this.find.value).trim().split(" ").filter(Boolean), telling = all.filter((word) => !SMALL_WORDS.has(word)), notes = [];
    const words = (telling.length ? telling : all).map((word) => {
      if (beginnings(word).some((form) => this.words.some((known) => known.startsWith(form)))) return word;
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
    const hits = words.map((word) => card.found.findIndex((text) => beginnings(word).some((form) => text.includes(` ${form}`))));
    if (hits.includes(-1)) return null;
    const facts = [...new Set(hits)].map((hit) => card.facts[hit]);
    return { card, far: facts.reduce((sum, [, far]) => sum + far, 0), matched: facts.map(([, , text]) => text).filter(Boolean).join(" · ") };
  }

  /** All cards that fit, and notes about words. */
  fits() {
    const { words, notes } = this.asked(), nothing = notes.length > 0 && !words.length;
    return { notes, fits: nothing ? [] : this.cards.map((card) => this.fitting(card, words)).filter(Boolean) };
  }
}
