"use strict";

// What the player of replays and the board to play on share: boards as pictures, and seeds that move. A *cell* is a pit
// or a store. What a move does comes from Python as events: no rule is known here.

const NO_MOVE = -2, PASS = -1, NOBODY = -1;
const PLAYERS = ["South", "North"];

/** A board as board.py describes it, made ready for use. */
function readSpots(board) {
  const bytes = Uint8Array.from(atob(board.spots), (character) => character.charCodeAt(0));
  const numbers = new Int16Array(bytes.buffer);
  const { pitShows, storeShows } = board.measures;
  let at = 0;
  board.seedSpots = board.views[0].places.map((_, cell) => {
    const counts = [[]];
    for (let count = 1; count <= (cell < board.pits ? pitShows : storeShows); count++) {
      counts.push(Array.from({ length: count }, () => [numbers[at++] / 1000, numbers[at++] / 1000]));
    }
    return counts;
  });
  return board;
}

// ---- what a move does ----------------------------------------------------------------------------------------------

/**
 * What happens between two positions: [{kind, source, target, seeds}], the kinds and their meaning as in
 * mancala_env/trace.py. The second position carries it (`told`: four numbers an event, as packing.py writes them); -1 is
 * none. Captures that happen together are one event with several `cells`.
 */
function trace(board, before, after) {
  const events = [], told = before ? after.told : [];
  for (let k = 0; k < told.length; k += 4) {
    const [kind, source, target, seeds] = [board.kinds[told[k]], told[k + 1], told[k + 2], told[k + 3]];
    const last = events.at(-1);
    if (kind !== "take") events.push({ kind, source, target, seeds });
    else if (last?.kind === "take" && last.target === target) {
      last.cells.push(source);
      last.seeds += seeds;
    } else events.push({ kind, cells: [source], target, seeds });
  }
  return events;
}

function happen(seeds, { kind, source, target, seeds: moved, cells }) {
  if (kind === "lift" || kind === "reap" || kind === "carry") seeds[source] -= moved;
  if (kind === "sow" || kind === "lay" || kind === "carry" || kind === "bring") seeds[target] += moved;
  if (kind === "take") {
    for (const cell of cells) seeds[cell] = 0;
    if (target >= 0) seeds[target] += moved;
  }
}

function capturedCells(events) {
  return events.flatMap((event) => event.cells ?? []);
}

/** From which cell to which the hand went, in order. */
function stepsOf(board, events) {
  return events.flatMap(({ kind, source, target }) => (kind === "sow" || kind === "reap" ? [[source, target]] : []));
}

// ---- drawing -------------------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

function colour(name) {
  return name.startsWith("#") ? name : `var(--b-${name})`;
}

function disc(x, y, radius, name, opacity = 1, line = 0) {
  const paint = line ? { fill: "none", stroke: colour(name), "stroke-width": line } : { fill: colour(name) };
  return drawn("circle", { cx: x, cy: y, r: radius, opacity, ...paint });
}

function box(x, y, width, height, radius, name, opacity = 1) {
  return drawn("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: radius, fill: colour(name), opacity });
}

function words(board, x, y, size, text, name, bold = false, anchor = "middle") {
  return drawn("text", { x, y: y + board.measures.capital / 2 * size, "font-size": size, "text-anchor": anchor,
    fill: colour(name), ...(bold ? { "font-weight": "bold" } : {}) }, String(text));
}

function shape(board, [kind, ...values]) {
  if (kind === "disc") return disc(...values);
  return kind === "box" ? box(...values) : words(board, ...values);
}

function tile(board, [x, y, width, height], owner) {
  const [wider, higher] = board.measures.tile;
  return owner === NOBODY ? [] : [box(x, y, width + wider, height + higher, 0.16, `owners-${owner}`, 0.85)];
}

function seedShapes(x, y, radius, tone) {
  return [disc(x, y, radius, `seeds-${tone}`), disc(x - 0.026, y - 0.03, 0.36 * radius, "#ffffff", 0.6)];
}

/** The seeds of a cell and their number, as seeds.py's contents. */
function contents(board, cell, place, count) {
  const [x, y, , height, label] = place;
  const { pitShows, storeShows, seed, count: beside, seedColours } = board.measures;
  if (count > (cell < board.pits ? pitShows : storeShows)) {
    return [numbered(words(board, x, y, count < 100 ? 0.46 : 0.35, halves(count), "seeds-0", true))];
  }
  const spots = board.seedSpots[cell][Math.floor(count)] ?? []; // a half seed, or one less than none, is in the number alone
  const ink = count ? "number" : "letter";
  return [
    numbered(words(board, x, y + label * (height / 2 + beside), 0.38, halves(count), ink, true)),
    ...spots.map(([dx, dy]) => disc(x + dx + 0.018, y + dy + 0.028, seed, "#000000", 0.38)),
    ...spots.flatMap(([dx, dy], k) => seedShapes(x + dx, y + dy, seed, (cell + k) % seedColours)),
  ];
}

function numbered(text) {
  text.classList.add("count");
  return text;
}

/** Is a pit closed in this game of a match? */
function isClosed(board, row, cell) {
  return cell < board.pits && board.at.closed !== undefined && row[board.at.closed + cell] !== 0;
}

/** What is written in a pit that is closed. */
function cross(board, [x, y]) {
  return [words(board, x, y, 0.6, board.closed, "letter", true)];
}

function markShapes(board, [x, y, width], owner) {
  if (owner === NOBODY) return [[], []];
  const radius = width / 2 + 0.01, bx = x + 0.74 * radius, by = y - 0.74 * radius;
  return [
    [disc(x, y, radius, "hollow", 1, 0.1), disc(x, y, radius, `owners-${owner}`, 1, 0.06)],
    [disc(bx, by, 0.165, "hollow"), disc(bx, by, 0.145, `owners-${owner}`),
      words(board, bx, by, 0.21, PLAYERS[owner][0], `initials-${owner}`, true)],
  ];
}

/** The move that led to a position: its pit, and "+" or "-" where there was a choice of direction. */
function moveName(board, row) {
  const pit = row[board.at.played], way = board.at.way === undefined ? -1 : row[board.at.way];
  return pit < 0 ? "pass" : board.names[pit] + (way < 0 ? "" : "+-"[way]);
}

/** A ring around a pit that may be played. */
function playableRing([x, y, width], tiled) {
  const radius = width / 2 + 0.025;
  return [...(tiled ? [disc(x, y, radius, "page", 1, 0.1)] : []), disc(x, y, radius, "playable", 1, 0.05)];
}

/** Dots around the pit played last; a ring around those that were captured. */
function rings(board, [x, y, width, height], played, captured) {
  const radius = width / 2 + 0.025, found = [];
  if (captured) {
    for (const [name, line] of [["page", 0.11], ["played", 0.055]]) {
      const ring = box(x, y, 2 * radius, height + 0.05, radius, "played");
      fill(ring, { fill: "none", stroke: colour(name), "stroke-width": line, class: "captured" }, []);
      found.push(ring);
    }
  }
  for (let k = 0; played && k < board.measures.dots; k++) {
    const angle = 2 * Math.PI * k / board.measures.dots;
    found.push(disc(x + radius * Math.cos(angle), y + radius * Math.sin(angle), 0.036, "played"));
  }
  return found;
}

/** The floor of a cell where a seed fell. */
function tint([x, y, width, height], strength) {
  return box(x, y, width - 0.03, height - 0.03, (width - 0.03) / 2, "played", strength.toFixed(3));
}

/** Where an arrow from one cell to another stands, and its angle. */
function between(start, end) {
  const reach = (start[3] - start[2]) / 2, other = (end[3] - end[2]) / 2;
  const low = Math.max(start[1] - reach, end[1] - other), high = Math.min(start[1] + reach, end[1] + other);
  let fromY = (low + high) / 2, toY = fromY;
  if (low > high) {
    const down = Math.sign(end[1] - start[1]);
    fromY = start[1] + down * reach;
    toY = end[1] - down * other;
  }
  const across = end[0] - start[0], gap = Math.hypot(across, toY - fromY) - (start[2] + end[2]) / 2;
  const angle = Math.atan2(toY - fromY, across);
  return { toY, gap, angle };
}

function arrow(board, start, end) {
  const size = 0.2, { toY, gap, angle } = between(start, end);
  const back = end[2] / 2 + (gap < board.measures.pit ? gap / 2 : size / 2);
  const x = end[0] - back * Math.cos(angle), y = toY - back * Math.sin(angle);
  const tip = (long, name, shift) => {
    const far = (0.5 * long).toFixed(3);
    return drawn("path", { d: `M${far} 0L-${far} ${far}L-${far} -${far}Z`, fill: colour(name),
      transform: `translate(${x.toFixed(3)} ${y.toFixed(3)}) rotate(${(angle * 180 / Math.PI).toFixed(1)}) `
        + `translate(${shift} 0)` });
  };
  return [tip(size, "hollow", 0), tip(0.68 * size, "played", -0.012)];
}

/** A value in few characters. */
function worthText(value) {
  if (Math.abs(value) >= 1000) return value > 0 ? "win" : "loss";
  const sign = value > 0 ? "+" : "";
  if (Number.isInteger(value) || Math.abs(value) >= 100) return sign + value.toFixed(0);
  return sign + value.toFixed(Math.abs(value) >= 1 ? 1 : 2);
}

/** The name of a pit and what playing it is worth, over a bar. */
function pill(board, place, name, told, share, best, upright) {
  const width = 0.94, height = 0.29, [, , wide, high, label] = place;
  const x = place[0] + (upright ? wide / 2 + (1 - wide) / 2 : 0); // between two pits, which lie above each other
  const y = place[1] + (upright ? 0 : label * (high / 2 + board.measures.name));
  const inside = width - 0.04, tall = height - 0.04, long = Math.max(tall, share * inside);
  const ink = (least) => (best && share > least ? "page" : "words");
  return [box(x, y, width, height, height / 2, "hollow"), box(x, y, inside, tall, tall / 2, "page"),
    box(x - (inside - long) / 2, y, long, tall, tall / 2, "playable", best ? 1 : 0.3),
    words(board, x - width / 2 + 0.1, y, 0.19, name, ink(0.2), false, "start"),
    words(board, x + width / 2 - 0.09, y, [0.2, 0.18, 0.165][Math.min(Math.max(told.length, 3), 5) - 3], told, ink(0.9), true, "end")];
}

function banner(board, [x, y, width, height], player, moves, tiled) {
  if (!moves) return [words(board, x, y, 0.23, PLAYERS[player], tiled ? `initials-${player}` : "letter")];
  const edge = tiled ? [box(x, y, width + 0.05, height + 0.05, height / 2 + 0.025, "page")] : [];
  return [...edge, box(x, y, width, height, height / 2, "playable"),
    words(board, x, y, 0.23, PLAYERS[player], "page", true)];
}

/** A number with halves as people write them: as ending.py's number. */
function halves(value) {
  return value % 1 === 0.5 ? `${Math.floor(value) || ""}½` : String(value);
}

function plural(seeds) {
  return `${halves(seeds)} seed${seeds === 1 || seeds === 0.5 ? "" : "s"}`;
}

/** In which game of a match a position is. */
function gameOf(board, row) {
  return board.at.match === undefined ? 1 : row[board.at.match];
}

/** How a position is shown after another one: not as what the move did, where it belongs to the game before. */
function shownMove(board, before, after) {
  if (!before || gameOf(board, before) !== gameOf(board, after)) return { events: [], played: NO_MOVE };
  return { events: trace(board, before, after), played: after[board.at.played] };
}

/** What a player has: seeds in store or in the own pits, in hand, and what a match has brought; "" where nothing is counted. */
function scoreOf(board, row, seeds, player) {
  const told = board.hasStores ? [plural(seeds[board.pits + player])] : [];
  if (board.counted) {
    const own = board.owner.reduce((sum, owner, pit) => sum + (owner === player ? seeds[pit] : 0), 0);
    told.push(`${plural(own)} ${board.counted}`);
  }
  if (board.at.reserve !== undefined) told.push(`${row[board.at.reserve + player]} in hand`);
  if (board.tally) {
    const tally = row[board.at.match + 2 + player] / board.tallyScale;
    told.push(`${tally} ${tally === 1 ? board.tally.replace(/s$/, "") : board.tally}`);
  }
  return told.join(", ");
}

/**
 * A board in an SVG element. `show` draws a position, `count` one cell, `hand` the seeds that are carried. `upright`: as a
 * whole turned clockwise by a quarter, its words (viewer.css) turned back.
 */
class Picture {
  constructor(board, orientation, upright = false) {
    this.board = board;
    this.view = board.views[orientation];
    this.upright = upright;
    this.verb = "Play";
    const { width, height, wood, cells } = this.view;
    const flat = (shapes) => drawn("g", { "aria-hidden": "true" }, ...shapes.map((each) => shape(board, each)));
    this.tiles = drawn("g", { "aria-hidden": "true" });
    this.seats = drawn("g", { "aria-hidden": "true", ...(upright && !board.hasStores ? { class: "along" } : {}) });
    this.arrows = drawn("g", { "aria-hidden": "true", class: "arrows" });
    this.carried = drawn("g", { "aria-hidden": "true", class: "hand" });
    const shown = this.view.places.length;
    this.cells = Array.from({ length: shown }, (_, cell) => {
      const title = drawn("title"), top = drawn("g", { "aria-hidden": "true" }), badge = drawn("g");
      const under = drawn("g"), ring = drawn("g"), choice = drawn("g");
      const worth = drawn("g", { "aria-hidden": "true", class: "worth level" });
      const [x, y, wide, high] = this.view.places[cell];
      const [wider, higher] = board.measures.tile; // what a finger may touch is more than the pit
      const area = drawn("rect", { x: x - (wide + wider) / 2, y: y - (high + higher) / 2, width: wide + wider, height: high + higher,
        rx: wide / 2, fill: "transparent" });
      const group = drawn("g", { class: "cell", "data-cell": cell, role: "img" }, title, under, choice, ring, top, badge, worth, area);
      return { group, title, under, choice, ring, top, badge, worth };
    });
    this.size = upright ? [height, width] : [width, height];
    this.svg = drawn("svg", { class: upright ? "board upright" : "board", viewBox: `0 0 ${this.size.join(" ")}`, role: "group",
      "aria-label": `Board of ${board.name}` },
    drawn("g", upright ? { transform: `translate(${height}) rotate(90)` } : {},
      flat(wood), this.tiles, flat(cells), this.seats, ...this.cells.map((cell) => cell.group), this.arrows, this.carried));
  }

  /**
   * A position; `steps` and `captured` are those of the move that led to it.
   * `seeds`: what lies in the cells, where that is not what the position says: after the final collection.
   */
  show(row, captured, over, played = row[this.board.at.played], steps = [], seeds = row) {
    const { board, view } = this, { at } = board, moves = over ? NOBODY : row[at.mover];
    const owners = at.owner === undefined ? board.tiles : Array.from(row.subarray(at.owner, at.owner + board.pits));
    const tiled = owners.some((owner) => owner !== NOBODY);
    const sown = steps.map((step) => step[1]).filter((cell, k, all) => all.lastIndexOf(cell) === k);
    this.row = row;
    this.seeds = seeds;
    this.worths = {};
    this.owners = owners;
    const seats = board.hasStores ? view.places.slice(board.pits) : view.seats;
    this.tiles.replaceChildren(...owners.flatMap((owner, pit) => tile(board, view.places[pit], owner)),
      ...(tiled ? seats.flatMap((seat, player) => tile(board, seat, player)) : []));
    this.seats.replaceChildren(...view.seats.map((seat, player) => drawn("g", board.hasStores ? { class: "level" } : {},
      ...banner(board, this.upright && board.hasStores ? this.under(seats[player], seat) : seat, player, player === moves, tiled && !board.hasStores))));
    this.cells.forEach((cell, number) => {
      const place = view.places[number];
      const mark = number < board.pits && at.marks !== undefined ? row[at.marks + number] : NOBODY;
      const [under, badge] = markShapes(board, place, mark);
      const order = captured.includes(number) && !seeds[number] ? -1 : sown.indexOf(number);
      const { faint, strong } = board.measures;
      if (order >= 0) under.unshift(tint(place, faint + (strong - faint) * (order + 1) / sown.length));
      cell.under.replaceChildren(...under);
      cell.worth.replaceChildren();
      cell.badge.replaceChildren(...badge);
      cell.ring.replaceChildren(...rings(board, place, number === played, captured.includes(number)));
      this.count(number, seeds[number]);
    });
    const pairs = new Map(steps.map((step) => [step.join(), step]));
    this.arrows.replaceChildren(...[...pairs.values()].flatMap(([from, to]) =>
      arrow(board, view.places[from], view.places[to])));
    this.carried.replaceChildren();
  }

  /** Where a name stands on a board that is upright: at the end of the board, below or above its store. */
  under([x, y, width], [, , wide, high]) {
    return [x + Math.sign(x - this.view.width / 2) * (width + high + 0.03) / 2, y, wide, high];
  }

  /** Pits that can be chosen: they look and sound like buttons; `[]` for none. */
  offer(pits) {
    const tiled = this.owners.some((owner) => owner !== NOBODY);
    this.offered = new Set(pits);
    this.cells.forEach(({ group, choice }, cell) => {
      const on = this.offered.has(cell);
      group.classList.toggle("offered", on);
      group.setAttribute("role", on ? "button" : "img");
      if (on) group.setAttribute("tabindex", 0);
      else group.removeAttribute("tabindex");
      choice.replaceChildren(...(on ? playableRing(this.view.places[cell], tiled) : []));
      this.count(cell, this.seeds[cell]);
    });
  }

  /** What pits are worth to the mover: [[pit, value], ...]. */
  worth(values) {
    const known = values.map(([, value]) => value), low = Math.min(...known), most = Math.max(...known);
    this.worths = {};
    for (const { worth } of this.cells) worth.replaceChildren();
    for (const [pit, value] of values) {
      const share = most === low ? 1 : 0.06 + 0.94 * (value - low) / (most - low);
      const told = this.worths[pit] = worthText(value);
      this.cells[pit].worth.replaceChildren(
        ...pill(this.board, this.view.places[pit], this.board.names[pit], told, share, value === most, this.upright));
      this.count(pit, this.seeds[pit]);
    }
  }

  count(cell, seeds) {
    const { top, title, group } = this.cells[cell] ?? {};
    if (!top) return;
    const place = this.view.places[cell], closed = isClosed(this.board, this.row, cell);
    top.replaceChildren(...(closed ? cross(this.board, place) : contents(this.board, cell, place, seeds)));
    const text = `${this.board.titles[cell]}: ${closed ? "closed" : `${plural(seeds)}${this.more(cell)}`}`;
    title.textContent = text;
    group.setAttribute("aria-label", this.offered?.has(cell) ? `${this.verb} ${text}` : text);
  }

  more(cell) {
    const { at, pits } = this.board;
    if (cell >= pits) return "";
    const mark = at.marks === undefined ? NOBODY : this.row[at.marks + cell];
    const owner = this.owners[cell] === NOBODY ? "" : `, ${PLAYERS[this.owners[cell]]}'s`;
    const worth = this.worths[cell] === undefined ? "" : `, worth ${this.worths[cell]}`;
    return owner + (mark === NOBODY ? "" : `, ${this.board.marked[mark]}`) + worth;
  }

  ring(cell) {
    this.cells[cell]?.ring.append(...rings(this.board, this.view.places[cell], false, true));
  }

  hand(x, y, seeds) {
    const { seed, pitShows } = this.board.measures;
    const spots = this.board.seedSpots[0][Math.min(seeds, pitShows)];
    this.carried.replaceChildren(...spots.map(([dx, dy]) => disc(0.8 * dx + 0.05, 0.8 * dy + 0.09, seed, "#000000", 0.3)),
      ...spots.flatMap(([dx, dy], k) => seedShapes(0.8 * dx, 0.8 * dy, seed, k % 3)));
    this.carried.setAttribute("transform", `translate(${x.toFixed(3)} ${y.toFixed(3)})`);
  }
}

// ---- moving --------------------------------------------------------------------------------------------------------

const UNITS = { lift: 1.2, sow: 1, lose: 1, reap: 1, lay: 1.2, take: 3.5, carry: 2, bring: 1.2 };
const SEED_MS = 210, MOVE_MS = 5200; // for one seed, and at most for a whole move

/** Shows events on a picture, seed by seed; `done` is called at the end. Returns a function that stops it. */
function animate(picture, before, events, speed, done) {
  const seeds = Array.from(before.subarray(0, picture.board.pits + 2)), { places } = picture.view;
  const units = events.reduce((sum, event) => sum + UNITS[event.kind], 0);
  const unit = Math.min(SEED_MS, MOVE_MS / Math.max(1, units)) / speed;
  let next = 0, begun = null, carried = 0, at = places[events[0].source ?? 0], frame = 0;

  const apply = (event) => {
    const { kind, source, target, cells = [] } = event;
    happen(seeds, event);
    picture.hear?.(kind);
    if (kind === "lift" || kind === "reap" || (kind === "take" && target < 0)) carried += event.seeds;
    if (kind === "sow" || kind === "lose" || kind === "lay") carried -= event.seeds;
    if (kind === "lift") at = places[source];
    if (kind === "sow" || kind === "reap" || kind === "bring") at = places[target];
    for (const cell of [source, target, ...cells]) if (cell >= 0) picture.count(cell, seeds[cell]);
  };
  const between = (event, share) => {
    const { kind, source, target, cells } = event, hop = -0.22 * Math.sin(Math.PI * share);
    const mix = (from, to, flying) => picture.hand(from[0] + (to[0] - from[0]) * share,
      from[1] + (to[1] - from[1]) * share + hop, flying);
    if (kind === "take") {
      if (!event.ringed) cells.forEach((cell) => picture.ring(cell));
      event.ringed = true;
      share = Math.max(0, (share - 0.35) / 0.65); // the ring is seen before the seeds leave
      if (share > 0) mix(places[cells[0]], places[target] ?? at, event.seeds);
    } else if (kind === "carry") mix(places[source], places[target], event.seeds);
    else if (kind === "reap") mix(places[source], places[target], carried + event.seeds);
    else if (carried > 0) mix(places[source] ?? at, kind === "sow" ? places[target] : places[source] ?? at, carried);
  };
  const tick = (now) => {
    begun ??= now;
    while (next < events.length && now - begun >= UNITS[events[next].kind] * unit) {
      begun += UNITS[events[next].kind] * unit;
      apply(events[next]);
      next += 1;
    }
    picture.carried.replaceChildren();
    if (next === events.length) { done(); return; }
    between(events[next], (now - begun) / (UNITS[events[next].kind] * unit));
    frame = requestAnimationFrame(tick);
  };
  frame = requestAnimationFrame(tick);
  return () => cancelAnimationFrame(frame);
}
