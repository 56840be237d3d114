// ---- the report: a list of games, and the player above it ----------------------------------------------------------

const PER_PAGE = 25;
const WON = ["South wins", "North wins", "draw"];

/** A line of the table that report.py packed, by name. */
function record(line) {
  const [number, south, north, rules, winner, reason, fault, told, plies, opening, scores, times, place] = line;
  return { number, seats: [south, north], rules, winner, reason, fault, told, plies, opening, scores, times, place };
}

/** How long both players thought; null where this was not measured. */
function seconds(each) {
  return each.times.includes(null) ? null : each.times[0] + each.times[1];
}

class Report {
  constructor() {
    this.records = games.lines.map(record);
    this.byNumber = new Map(this.records.map((each) => [each.number, each]));
    this.order = { key: "number", down: false };
    this.page = 0;
    this.place = document.getElementById("player");
    this.player = new Player(this.place);
    this.buildFilters();
    this.buildList();
    document.addEventListener("keydown", (event) => this.player?.key(event));
    addEventListener("hashchange", () => this.follow(true));
  }

  buildFilters() {
    const choice = (label, name, options) => {
      const select = element("select", { name, id: `by-${name}`, onchange: () => this.refresh() },
        element("option", { value: "" }, "any"), ...options.map(([value, text]) => element("option", { value }, text)));
      this.filters[name] = select;
      return this.field(label, select);
    };
    const named = (words) => words.map((word, k) => [k, word]);
    this.filters = {};
    const form = document.getElementById("filters");
    const players = named(games.players);
    form.append(choice("Player", "player", players), choice("against", "against", players),
      choice("Result", "result", [["0", WON[0]], ["1", WON[1]], ["2", WON[2]], ["won", "player wins"],
        ["lost", "player loses"], ["fault", "lost by a fault"]]),
      choice("Reason", "reason", named(games.reasons)));
    if (games.rules.length > 1) form.append(choice("Game", "rules", named(games.rules)));
    const number = element("input", { type: "number", min: 0, inputmode: "numeric", name: "number", id: "by-number",
      oninput: () => this.refresh() });
    this.filters.number = number;
    form.append(this.field("Number", number),
      element("button", { type: "button", onclick: () => { form.reset(); this.refresh(); } }, "Show all"));
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  field(label, input) {
    return element("div", { class: "field" }, element("label", { for: input.id }, label), input);
  }

  buildList() {
    const heads = [["number", "#", ""], ["rules", "Game", "name wide"], ["south", "South", "name"],
      ["north", "North", "name"], ["result", "Result", "name"], ["score", "Score", ""], ["reason", "Reason", "name"],
      ["plies", "Moves", ""], ["time", "Seconds", "wide"]];
    this.heads = heads.filter(([key]) => key !== "rules" || games.rules.length > 1).map(([key, text, kind]) =>
      element("th", { scope: "col", class: kind, "data-key": key },
        element("button", { type: "button", onclick: () => this.sort(key) }, text)));
    this.lines = element("tbody");
    document.getElementById("list").append(element("thead", {}, element("tr", {}, ...this.heads)), this.lines);
    this.previous = element("button", { type: "button", onclick: () => this.turn(-1) }, "Previous");
    this.following = element("button", { type: "button", onclick: () => this.turn(1) }, "Next");
    this.where = element("span");
    document.getElementById("pages").append(this.previous, this.where, this.following);
  }

  value(each, key) {
    const [south, north] = each.seats;
    return { number: each.number, plies: each.plies, rules: games.rules[each.rules], south: games.players[south],
      north: games.players[north], result: WON[each.winner], reason: games.reasons[each.reason],
      score: each.scores ? each.scores[0] - each.scores[1] : -Infinity, time: seconds(each) ?? -1 }[key];
  }

  fits(each) {
    const chosen = (name) => this.filters[name]?.value ?? "";
    const player = chosen("player") === "" ? null : Number(chosen("player"));
    const against = chosen("against") === "" ? null : Number(chosen("against"));
    const seat = player === null ? 0 : each.seats.indexOf(player);
    const result = chosen("result");
    if (player !== null && seat < 0) return false;
    if (against !== null && (player === null ? !each.seats.includes(against) : each.seats[1 - seat] !== against)) return false;
    if (result === "fault" && (each.fault < 0 || (player !== null && each.fault !== seat))) return false;
    if (result === "won" && each.winner !== seat) return false;
    if (result === "lost" && each.winner !== 1 - seat) return false;
    if (/^\d$/.test(result) && each.winner !== Number(result)) return false;
    if (chosen("reason") !== "" && each.reason !== Number(chosen("reason"))) return false;
    if (chosen("rules") !== "" && each.rules !== Number(chosen("rules"))) return false;
    return chosen("number") === "" || each.number === Number(chosen("number"));
  }

  sort(key) {
    this.order = { key, down: this.order.key === key && !this.order.down };
    this.refresh();
  }

  turn(by) {
    this.page += by;
    this.show();
  }

  /** Filters or order have changed. */
  refresh() {
    const { key, down } = this.order, sign = down ? -1 : 1;
    // "player wins" means nothing without a player.
    for (const option of this.filters.result.options) {
      if (["won", "lost"].includes(option.value)) option.disabled = this.filters.player.value === "";
    }
    if (this.filters.result.selectedOptions[0]?.disabled) this.filters.result.value = "";
    this.found = this.records.filter((each) => this.fits(each));
    const keyed = this.found.map((each) => [this.value(each, key), each]);
    keyed.sort(([one, a], [other, b]) => sign * (one < other ? -1 : one > other ? 1 : 0) || a.number - b.number);
    this.found = keyed.map(([, each]) => each);
    for (const head of this.heads) {
      if (head.dataset.key === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      head.firstChild.textContent = head.firstChild.textContent.replace(/ [▲▼]$/, "")
        + (head.dataset.key === key ? (down ? " ▼" : " ▲") : "");
    }
    this.page = 0;
    this.show();
  }

  show() {
    const pages = Math.max(1, Math.ceil(this.found.length / PER_PAGE));
    this.page = Math.max(0, Math.min(this.page, pages - 1));
    const shown = this.found.slice(this.page * PER_PAGE, (this.page + 1) * PER_PAGE);
    this.lines.replaceChildren(...shown.map((each) => this.line(each)));
    const all = this.records.length;
    document.getElementById("found").textContent = this.found.length === all
      ? `${all.toLocaleString("en")} games` : `${this.found.length.toLocaleString("en")} of ${all.toLocaleString("en")} games`;
    this.where.textContent = `page ${this.page + 1} of ${pages}`;
    this.previous.disabled = this.page === 0;
    this.following.disabled = this.page === pages - 1;
  }

  line(each) {
    const cell = (text, kind = "") => element("td", { class: kind }, text);
    const seat = (player) => cell(games.players[each.seats[player]], each.winner === player ? "name won" : "name");
    const link = element("a", { href: `#game=${each.number}`, "aria-label": `Replay game ${each.number}` },
      String(each.number));
    const reason = games.reasons[each.reason] + (each.fault < 0 ? "" : ` by ${PLAYERS[each.fault]}`);
    const row = element("tr", { "data-number": each.number, title: games.told[each.told] }, element("td", {}, link),
      ...(games.rules.length > 1 ? [cell(games.rules[each.rules], "name wide")] : []), seat(0), seat(1),
      cell(WON[each.winner], "name"), cell(each.scores ? each.scores.map(halves).join(" : ") : "–"),
      cell(reason, each.fault < 0 ? "name" : "name fault"), cell(String(each.plies)),
      cell(seconds(each)?.toFixed(1) ?? "–", "wide"));
    row.addEventListener("click", (event) => {
      event.preventDefault();
      this.choose(each, true);
    });
    if (each === this.current) row.setAttribute("aria-current", "true");
    return row;
  }

  async choose(each, moved) {
    this.current = each;
    for (const row of this.lines.rows) {
      if (Number(row.dataset.number) === each.number) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    if (moved) remember(`#game=${each.number}`);
    if (moved) this.place.scrollIntoView({ behavior: calm.matches ? "auto" : "smooth", block: "start" });
    if (!each.place.length) {
      this.place.replaceChildren(element("p", { class: "failed" }, `Game ${each.number} cannot be replayed: see the warnings.`));
      this.player = null;
      return;
    }
    if (!this.player || !this.place.querySelector(".board, header")) this.player = new Player(this.place);
    await this.player.load({ title: `Game ${each.number}: ${games.rules[each.rules]}`,
      players: each.seats.map((player) => games.players[player]), result: games.told[each.told], values: null,
      place: each.place });
  }

  /** Show what the address asks for: #game=12, #pair=0,3. */
  follow(moved) {
    const [, number] = /^#game=(\d+)$/.exec(location.hash) ?? [];
    const [, one, other] = /^#pair=(\d+),(\d+)$/.exec(location.hash) ?? [];
    const asked = this.byNumber.get(Number(number));
    if (one !== undefined) {
      Object.assign(this.filters.player, { value: one });
      Object.assign(this.filters.against, { value: other });
      this.refresh();
      document.getElementById("list-title").scrollIntoView();
    }
    if (asked) this.choose(asked, true);
    else if (!moved && this.records.length) this.choose(this.records[0], false);
  }
}

/** Keep the address up to date, if the page has its own. */
function remember(hash) {
  try { history.replaceState(null, "", hash); } catch { /* a page inside another one */ }
}

for (const button of document.querySelectorAll("[data-file]")) {
  button.addEventListener("click", async () => {
    const name = button.dataset.file;
    download(name, await unpackJson(page.downloads[name]), name.endsWith("json") ? "application/json" : "text/csv");
  });
}

document.getElementById("theme").addEventListener("click", toggleTheme);
if (document.getElementById("player")) {
  start().then(() => {
    const report = new Report();
    report.refresh();
    report.follow(false);
  });
}
