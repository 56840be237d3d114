"use strict";

// ---- data ----------------------------------------------------------------------------------------------------------

const page = JSON.parse(document.getElementById("data").textContent);
const NO_MOVE = -2, PASS = -1, NOBODY = -1;
const PLAYERS = ["South", "North"];

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpackJson(text) {
  return JSON.parse(new TextDecoder().decode(await inflate(text)));
}

/** What page.py's packed_table packed: Int16Array of `lines` lines. */
async function unpackTable(lines, text) {
  const bytes = await inflate(text);
  const size = bytes.length / 2, width = size / lines;
  const table = new Int16Array(size);
  for (let k = 0; k < size; k++) {
    const folded = bytes[k] | (bytes[size + k] << 8);
    const change = folded & 1 ? -(folded + 1) / 2 : folded / 2;
    table[k] = change + (k >= width ? table[k - width] : 0);
  }
  return table;
}

const blocks = new Map();

/** All positions of a game, each an Int16Array laid out as `board.at` says. */
async function positions(place, board) {
  const [, block, first, count] = place;
  if (!blocks.has(block)) {
    if (blocks.size > 8) blocks.clear();
    blocks.set(block, unpackTable(...page.blocks[block]));
  }
  const table = await blocks.get(block), width = board.at.width;
  return Array.from({ length: count }, (_, k) => table.subarray((first + k) * width, (first + k + 1) * width));
}

function readSpots(board) {
  const bytes = Uint8Array.from(atob(board.spots), (character) => character.charCodeAt(0));
  const numbers = new Int16Array(bytes.buffer);
  const { pitShows, storeShows } = board.measures;
  let at = 0;
  board.seedSpots = board.views[0].places.map((_, hole) => {
    const counts = [[]];
    for (let count = 1; count <= (hole < board.pits ? pitShows : storeShows); count++) {
      counts.push(Array.from({ length: count }, () => [numbers[at++] / 1000, numbers[at++] / 1000]));
    }
    return counts;
  });
  board.rows = board.landing.map((row) => row.map(BigInt));
}

let boards = [], games = [];

async function start() {
  boards = await unpackJson(page.boards);
  boards.forEach(readSpots);
  games = await unpackJson(page.games);
}

// ---- how a move goes -----------------------------------------------------------------------------------------------

// Facts and consequences of a landing row: as in mancala_env/kernels/layout.py.
const IN_STORE = 1, OWN_SIDE = 2, WAS_EMPTY = 4, IS_EVEN = 8, FACING_FULL = 16, MARKED = 32, BEHIND_FULL = 64;
const TAKE_HERE = 1, TAKE_FACING = 2, TAKE_BEHIND = 4, TAKE_PAIR = 8;
const CHAIN_ENEMY = 1, RELAY = 2, SOW_ON = 3, TOP_COUNT = 62;

/**
 * What happens between two positions, for the eye: [{kind, ...}], of the kinds
 * lift {hole, seeds}, drop {hole}, lose {}, take {holes, to}, shift {from, to}.
 * The positions themselves are the truth; where a move ends a game of a match, the next one is already laid out.
 */
function trace(board, before, after) {
  const pit = after[board.at.played];
  if (pit < 0) return [];
  const seeds = Array.from(before.subarray(0, board.pits + 2));
  if (board.sowing === "neighbours") return traceScatter(board, seeds, pit);
  if (board.sowing === "reaping") return traceReaping(seeds, after, pit);
  return traceTrack(board, before, after, seeds, pit);
}

function traceScatter(board, seeds, pit) {
  const columns = board.columns, turned = pit - pit % columns, column = pit - turned;
  const around = [[1, column + 1], [1, 2 * columns - 2 - column], [0, 2 * columns - 1 - column],
    [-1, 2 * columns - column], [-1, column - 1]];
  const events = [{ kind: "lift", hole: pit, seeds: seeds[pit] }];
  const hand = seeds[pit];
  seeds[pit] = 0;
  for (let k = 0; k < hand; k++) {
    const [side, step] = around[Math.min(k, 4)];
    const hole = (step + turned) % board.pits;
    const gone = k > 4 || (side > 0 && column === columns - 1) || (side < 0 && column === 0);
    if (gone || seeds[hole] >= board.pitLimit) events.push({ kind: "lose" });
    else { seeds[hole] += 1; events.push({ kind: "drop", hole }); }
  }
  return events;
}

function traceReaping(seeds, after, pit) {
  const target = seeds.findIndex((count, hole) => after[hole] > count);
  const events = [];
  const step = target > pit ? 1 : -1;
  for (let hole = pit; hole !== target; hole += step) events.push({ kind: "shift", from: hole, to: target });
  return events;
}

function traceTrack(board, before, after, seeds, pit) {
  const player = before[board.at.mover], track = board.track[player], store = board.pits + player;
  const another = board.at.match !== undefined && before[board.at.match] !== after[board.at.match];
  const owner = (hole) => (board.at.owner === undefined ? board.owner[hole] : before[board.at.owner + hole]);
  const marked = (hole) => board.at.marks !== undefined && before[board.at.marks + hole] >= 0;
  const events = [{ kind: "lift", hole: pit, seeds: seeds[pit] }];
  let hand = seeds[pit], origin = pit;
  seeds[pit] = 0;

  const landing = (hole) => {
    const count = seeds[hole], facing = board.facing[hole], behind = board.behind[hole];
    const across = hole < board.pits && facing !== hole ? seeds[facing] : 0;
    const facts = hole >= board.pits ? IN_STORE : (owner(hole) === player ? OWN_SIDE : 0)
      | (count === 1 ? WAS_EMPTY : 0) | (count % 2 ? 0 : IS_EVEN) | (across > 0 ? FACING_FULL : 0)
      | (seeds[behind] > 0 && behind !== hole ? BEHIND_FULL : 0) | (marked(hole) ? MARKED : 0);
    const here = BigInt(Math.min(count, TOP_COUNT)), there = BigInt(Math.min(across, TOP_COUNT));
    return board.rows.find(([needs, value, counts, facingCounts]) => (BigInt(facts) & needs) === value
      && (counts >> here) & 1n && (facingCounts >> there) & 1n);
  };

  for (let lap = 1; ; lap++) {
    let station = track.indexOf(origin);
    while (hand > 0) {
      station = (station + 1) % track.length;
      const hole = track[station];
      if (board.skipsOrigin && hole === origin) continue;
      seeds[hole] += 1;
      hand -= 1;
      events.push({ kind: "drop", hole });
    }
    const hole = track[station], row = landing(hole);
    if (!row) return events;
    const [, , , , take, chain, chainCounts, then] = row.map((number, k) => (k === 6 ? number : Number(number)));
    if (then >= RELAY && lap >= board.lapLimit) return events;
    const facing = hole < board.pits ? board.facing[hole] : hole;
    if (then === SOW_ON) {
      for (const from of take & TAKE_BEHIND ? [facing, board.behind[hole]] : [facing]) {
        hand += seeds[from];
        events.push({ kind: "lift", hole: from, seeds: seeds[from], captured: true });
        seeds[from] = 0;
      }
      origin = hole;
      continue;
    }
    if (take & TAKE_PAIR) {
      events.push({ kind: "shift", from: facing, to: hole });
      return events;
    }
    let taken = take & TAKE_HERE ? [hole] : [];
    if (chain) {
      for (let k = 1; k < track.length; k++) {
        const back = track[(station - k + track.length) % track.length];
        if (back >= board.pits || (chain === CHAIN_ENEMY && owner(back) === player)) break;
        if (!((chainCounts >> BigInt(Math.min(seeds[back], TOP_COUNT))) & 1n)) break;
        taken.push(back);
      }
    }
    if (take & TAKE_FACING && facing !== hole) taken.push(facing);
    taken = taken.filter((from) => seeds[from] > 0);
    // Grand slams that are not taken, or not all: the position behind the move tells.
    if (!another && then < RELAY) taken = taken.filter((from) => after[from] < seeds[from]);
    if (taken.length) events.push({ kind: "take", holes: taken, to: store });
    for (const from of taken) { seeds[store] += seeds[from]; seeds[from] = 0; }
    if (then !== RELAY || seeds[hole] === 0) return events;
    hand = seeds[hole];
    origin = hole;
    seeds[hole] = 0;
    events.push({ kind: "lift", hole, seeds: hand });
  }
}

/** The seeds in all holes when these events have happened. */
function traced(before, board, events) {
  const seeds = Array.from(before.subarray(0, board.pits + 2));
  for (const event of events) happen(seeds, event);
  return seeds;
}

function happen(seeds, event) {
  if (event.kind === "lift") seeds[event.hole] = 0;
  if (event.kind === "drop") seeds[event.hole] += 1;
  if (event.kind === "shift") { seeds[event.from] -= 1; seeds[event.to] += 1; }
  if (event.kind === "take") for (const hole of event.holes) { seeds[event.to] += seeds[hole]; seeds[hole] = 0; }
}

function capturedHoles(events) {
  return events.flatMap((event) => (event.kind === "take" ? event.holes : event.captured ? [event.hole] : []));
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

function words(board, x, y, size, text, name, anchor = "middle", bold = false) {
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

/** The seeds of a hole and their number, as drawing.py's _contents has it. */
function contents(board, hole, place, count) {
  const [x, y, , height, label] = place;
  const { pitShows, storeShows, seed, count: beside, seedColours } = board.measures;
  if (count > (hole < board.pits ? pitShows : storeShows)) {
    return [numbered(words(board, x, y, count < 100 ? 0.46 : 0.35, count, "seeds-0", "middle", true))];
  }
  const spots = board.seedSpots[hole][count];
  const ink = count ? "number" : "letter";
  return [
    numbered(words(board, x, y + label * (height / 2 + beside), 0.38, count, ink, "middle", true)),
    ...spots.map(([dx, dy]) => disc(x + dx + 0.018, y + dy + 0.028, seed, "#000000", 0.38)),
    ...spots.flatMap(([dx, dy], k) => seedShapes(x + dx, y + dy, seed, (hole + k) % seedColours)),
  ];
}

function numbered(text) {
  text.classList.add("count");
  return text;
}

function markShapes(board, [x, y, width], owner) {
  if (owner === NOBODY) return [[], []];
  const radius = width / 2 + 0.01, bx = x + 0.74 * radius, by = y - 0.74 * radius;
  return [
    [disc(x, y, radius, "hollow", 1, 0.1), disc(x, y, radius, `owners-${owner}`, 1, 0.06)],
    [disc(bx, by, 0.165, "hollow"), disc(bx, by, 0.145, `owners-${owner}`),
      words(board, bx, by, 0.21, PLAYERS[owner][0], `initials-${owner}`, "middle", true)],
  ];
}

/** Dots around the pit played last; a ring around those that were captured. */
function rings(board, [x, y, width, height], played, captured) {
  const radius = width / 2 + 0.025, found = [];
  if (captured) {
    for (const [name, line] of [["hollow", 0.1], ["played", 0.05]]) {
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

function banner(board, [x, y, width, height], player, moves, tiled) {
  if (!moves) return [words(board, x, y, 0.23, PLAYERS[player], tiled ? `initials-${player}` : "letter")];
  const edge = tiled ? [box(x, y, width + 0.05, height + 0.05, height / 2 + 0.025, "page")] : [];
  return [...edge, box(x, y, width, height, height / 2, "playable"),
    words(board, x, y, 0.23, PLAYERS[player], "page", "middle", true)];
}

function plural(seeds) {
  return `${seeds} seed${seeds === 1 ? "" : "s"}`;
}

/** A board in an SVG element. `show` draws a position, `count` one hole, `hand` the seeds that are carried. */
class Picture {
  constructor(board, orientation) {
    this.board = board;
    this.view = board.views[orientation];
    const { width, height, wood, holes } = this.view;
    const flat = (shapes) => drawn("g", { "aria-hidden": "true" }, ...shapes.map((each) => shape(board, each)));
    this.tiles = drawn("g", { "aria-hidden": "true" });
    this.seats = drawn("g", { "aria-hidden": "true" });
    this.carried = drawn("g", { "aria-hidden": "true", class: "hand" });
    const shown = board.hasStores ? board.pits + 2 : board.pits;
    this.holes = Array.from({ length: shown }, (_, hole) => {
      const title = drawn("title"), top = drawn("g", { "aria-hidden": "true" }), badge = drawn("g");
      const under = drawn("g"), ring = drawn("g");
      const [x, y, wide, high] = this.view.places[hole];
      const area = drawn("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: wide / 2,
        fill: "transparent" });
      const group = drawn("g", { class: "hole", "data-hole": hole, role: "img" }, title, under, ring, top, badge, area);
      return { group, title, under, ring, top, badge };
    });
    this.svg = drawn("svg", { class: "board", viewBox: `0 0 ${width} ${height}`, role: "group",
      "aria-label": `Board of ${board.name}` },
    flat(wood), this.tiles, flat(holes), this.seats, ...this.holes.map((hole) => hole.group), this.carried);
  }

  show(row, captured, over, played = row[this.board.at.played]) {
    const { board, view } = this, { at } = board, moves = over ? NOBODY : row[at.mover];
    const owners = at.owner === undefined ? board.tiles : Array.from(row.subarray(at.owner, at.owner + board.pits));
    const tiled = owners.some((owner) => owner !== NOBODY);
    this.row = row;
    this.owners = owners;
    const seats = board.hasStores ? view.places.slice(board.pits) : view.seats;
    this.tiles.replaceChildren(...owners.flatMap((owner, pit) => tile(board, view.places[pit], owner)),
      ...(tiled ? seats.flatMap((seat, player) => tile(board, seat, player)) : []));
    this.seats.replaceChildren(...view.seats.flatMap((seat, player) =>
      banner(board, seat, player, player === moves, tiled && !board.hasStores)));
    this.holes.forEach((hole, number) => {
      const place = view.places[number];
      const mark = number < board.pits && at.marks !== undefined ? row[at.marks + number] : NOBODY;
      const [under, badge] = markShapes(board, place, mark);
      hole.under.replaceChildren(...under);
      hole.badge.replaceChildren(...badge);
      hole.ring.replaceChildren(...rings(board, place, number === played, captured.includes(number)));
      this.count(number, row[number]);
    });
    this.carried.replaceChildren();
  }

  count(hole, seeds) {
    const { top, title, group } = this.holes[hole] ?? {};
    if (!top) return;
    top.replaceChildren(...contents(this.board, hole, this.view.places[hole], seeds));
    const text = `${this.board.titles[hole]}: ${plural(seeds)}${this.more(hole)}`;
    title.textContent = text;
    group.setAttribute("aria-label", text);
  }

  more(hole) {
    const { at, pits } = this.board;
    if (hole >= pits) return "";
    const mark = at.marks === undefined ? NOBODY : this.row[at.marks + hole];
    const owner = this.owners[hole] === NOBODY ? "" : `, ${PLAYERS[this.owners[hole]]}'s`;
    return owner + (mark === NOBODY ? "" : `, gravid, ${PLAYERS[mark]}'s`);
  }

  ring(hole) {
    this.holes[hole]?.ring.append(...rings(this.board, this.view.places[hole], false, true));
  }

  hand(x, y, seeds) {
    const { seed, pitShows } = this.board.measures;
    if (this.carriedSeeds !== seeds || !this.carried.firstChild) {
      const spots = this.board.seedSpots[0][Math.min(seeds, pitShows)];
      this.carried.replaceChildren(...spots.map(([dx, dy]) => disc(0.8 * dx + 0.05, 0.8 * dy + 0.09, seed, "#000000", 0.3)),
        ...spots.flatMap(([dx, dy], k) => seedShapes(0.8 * dx, 0.8 * dy, seed, k % 3)));
      this.carriedSeeds = seeds;
    }
    this.carried.setAttribute("transform", `translate(${x.toFixed(3)} ${y.toFixed(3)})`);
  }
}

// ---- moving --------------------------------------------------------------------------------------------------------

const UNITS = { lift: 1.2, drop: 1, lose: 1, take: 3.5, shift: 2 };
const SEED_MS = 210, MOVE_MS = 5200; // for one seed, and at most for a whole move

/** Shows events on a picture, seed by seed; `done` is called at the end. Returns a function that stops it. */
function animate(picture, before, events, speed, done) {
  const seeds = Array.from(before.subarray(0, picture.board.pits + 2)), { places } = picture.view;
  const units = events.reduce((sum, event) => sum + UNITS[event.kind], 0);
  const unit = Math.min(SEED_MS, MOVE_MS / Math.max(1, units)) / speed;
  let next = 0, begun = null, carried = 0, at = places[events[0].hole ?? events[0].from ?? 0], frame = 0;

  const apply = (event) => {
    happen(seeds, event);
    if (event.kind === "lift") carried += event.seeds;
    if (event.kind === "drop" || event.kind === "lose") carried -= 1;
    if (event.kind === "lift" || event.kind === "drop") at = places[event.hole];
    if (event.captured) picture.ring(event.hole);
    for (const hole of [event.hole, event.from, event.to, ...(event.holes ?? [])]) {
      if (hole !== undefined) picture.count(hole, seeds[hole]);
    }
  };
  const between = (event, share) => {
    const hop = -0.22 * Math.sin(Math.PI * share);
    const mix = (from, to) => picture.hand(from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share + hop,
      event.flying);
    if (event.kind === "take" || event.kind === "shift") {
      const from = event.from ?? event.holes[0];
      event.flying ??= event.kind === "shift" ? 1 : event.holes.reduce((sum, hole) => sum + seeds[hole], 0);
      if (event.kind === "take" && !event.ringed) {
        event.ringed = true;
        event.holes.forEach((hole) => picture.ring(hole));
      }
      const late = Math.max(0, (share - 0.35) / 0.65); // the ring is seen before the seeds leave
      if (event.kind === "take") share = late;
      if (share > 0) mix(places[from], places[event.to] ?? places[from]);
    } else if (carried > 0) {
      event.flying = carried;
      mix(at, event.kind === "drop" ? places[event.hole] : at);
    }
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

const calm = matchMedia("(prefers-reduced-motion: reduce)");

// ---- the player ----------------------------------------------------------------------------------------------------

/** Board, controls and moves of one game at a time, inside `root`. */
class Player {
  constructor(root, orientation = 0) {
    this.root = root;
    this.orientation = orientation;
    this.speed = 1;
    this.build();
  }

  build() {
    const button = (face, label, key, action, name = "") =>
      element("button", { type: "button", "aria-label": label, title: key ? `${label} (${key})` : label, class: name,
        onclick: action }, face);
    this.heading = element("h2");
    this.result = element("p");
    this.top = element("div", { class: "seat" });
    this.bottom = element("div", { class: "seat" });
    this.stage = element("div");
    this.says = element("p", { class: "says", "aria-live": "polite" });
    this.slider = element("input", { type: "range", min: 0, step: 1, value: 0, "aria-label": "Position",
      oninput: () => this.go(Number(this.slider.value)) });
    this.where = element("span", { class: "where" });
    this.goButton = button("Play", "Play", "space", () => this.toggle(), "go");
    this.pace = element("select", { "aria-label": "Speed", title: "Speed",
      onchange: () => { this.speed = Number(this.pace.value); } },
    ...[0.5, 1, 2, 4].map((speed) => element("option", { value: speed, ...(speed === 1 ? { selected: "" } : {}) },
      `${speed}×`)));
    this.graph = drawn("svg", { class: "graph", viewBox: "0 0 600 88", preserveAspectRatio: "none", "aria-hidden": "true",
      onclick: (event) => this.pickInGraph(event) });
    this.graphLabel = element("p", { class: "quiet graph-label" });
    this.list = element("ol", { "aria-label": "Moves" });
    this.root.classList.add("player");
    this.root.replaceChildren(
      element("header", {}, this.heading, this.result, element("div", { class: "tools" },
        button("Turn board", "Turn the board round", "f", () => this.flip()),
        ...(page.themed ? [] : [button("Light / dark", "Change between light and dark", "", toggleTheme)]))),
      element("div", { class: "table" }, this.top, this.stage, this.bottom, this.says,
        element("div", { class: "controls" },
          button(icon("M5 4v12M16 4 7 10l9 6z"), "First position", "home", () => this.go(0)),
          button(icon("M14 4 5 10l9 6z"), "One move back", "left", () => this.back()),
          this.goButton,
          button(icon("M6 4l9 6-9 6z"), "One move on", "right", () => this.step()),
          button(icon("M15 4v12M4 4l9 6-9 6z"), "Last position", "end", () => this.go(this.last)),
          this.slider, this.where, this.pace),
        this.graph, this.graphLabel),
      element("aside", { class: "moves" }, element("h3", {}, "Moves"), this.list));
  }

  get last() {
    return this.rows.length - 1;
  }

  /** Show a game: {title, players, result, values, place}. */
  async load(game) {
    this.pause();
    const board = boards[game.place[0]];
    const asked = this.asked = {};
    const rows = await positions(game.place, board);
    if (asked !== this.asked) return; // another game was chosen meanwhile
    Object.assign(this, { game, board, rows, ply: 0 });
    this.heading.textContent = game.title;
    this.result.textContent = game.result;
    this.slider.max = this.last;
    this.draw();
    this.listMoves();
    this.drawGraph();
    this.go(0);
  }

  draw() {
    this.picture = new Picture(this.board, this.orientation);
    this.stage.replaceChildren(this.picture.svg);
  }

  flip() {
    this.orientation = 1 - this.orientation;
    this.draw();
    this.go(this.ply);
  }

  go(ply) {
    this.pause();
    this.settle(Math.max(0, Math.min(this.last, ply)));
  }

  back() {
    this.go(this.ply - 1);
  }

  step() {
    this.pause();
    if (this.ply < this.last) this.move();
  }

  toggle() {
    if (this.playing) { this.go(this.ply); return; }
    if (this.ply === this.last) this.settle(0);
    this.playing = true;
    this.goButton.textContent = "Pause";
    this.goButton.setAttribute("aria-label", "Pause");
    this.move();
  }

  /** Stop whatever moves; a move that is under way is over at once. */
  pause() {
    clearTimeout(this.timer);
    this.playing = false;
    this.goButton.textContent = "Play";
    this.goButton.setAttribute("aria-label", "Play");
    if (this.stop) {
      this.stop();
      this.stop = null;
      this.settle(this.ply);
    }
  }

  /** One move on, seed by seed. `ply` is where it leads as soon as it begins. */
  move() {
    const before = this.rows[this.ply], after = this.rows[this.ply + 1];
    const events = trace(this.board, before, after);
    this.ply += 1;
    if (calm.matches || !events.length) { this.arrived(); return; }
    this.mark("moving");
    this.picture.show(before, [], false, after[this.board.at.played]);
    this.stop = animate(this.picture, before, events, this.speed, () => {
      this.stop = null;
      this.arrived();
    });
  }

  arrived() {
    this.settle(this.ply);
    if (!this.playing) return;
    if (this.ply === this.last) this.pause();
    else this.timer = setTimeout(() => this.move(), (calm.matches ? 1100 : 450) / this.speed);
  }

  /** Show the position of a ply, at rest. */
  settle(ply) {
    this.ply = ply;
    const row = this.rows[ply];
    const events = ply ? trace(this.board, this.rows[ply - 1], row) : [];
    this.over = ply === this.last && this.game.result !== "not finished";
    this.picture.show(row, capturedHoles(events), this.over);
    const told = this.told(ply, events);
    if (this.says.textContent !== told) this.says.textContent = told;
    this.mark("still");
  }

  /** Slider, lists and names follow the ply. */
  mark(state) {
    const { ply, last } = this;
    this.root.dataset.ply = ply;
    this.root.dataset.state = state;
    this.slider.value = ply;
    this.slider.setAttribute("aria-valuetext", ply ? `after move ${ply} of ${last}` : "before the first move");
    this.where.textContent = `${ply} / ${last}`;
    const row = this.rows[state === "moving" ? ply - 1 : ply];
    this.seat(this.top, 1 - this.orientation, row);
    this.seat(this.bottom, this.orientation, row);
    this.list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = this.list.querySelector(`[data-ply="${ply}"]`);
    current?.setAttribute("aria-current", "true");
    this.keepInView(current);
    this.drawNow();
  }

  keepInView(button) {
    if (!button) { this.list.scrollTop = 0; return; }
    const { offsetTop, offsetHeight } = button, { scrollTop, clientHeight } = this.list;
    if (offsetTop < scrollTop) this.list.scrollTop = offsetTop - offsetHeight;
    else if (offsetTop + offsetHeight > scrollTop + clientHeight) {
      this.list.scrollTop = offsetTop + 2 * offsetHeight - clientHeight;
    }
  }

  seat(node, player, row) {
    const { board } = this;
    const moves = !this.over && row[board.at.mover] === player;
    const score = board.hasStores ? plural(row[board.pits + player]) : moves ? "to move" : "";
    node.classList.toggle("to-move", moves);
    node.replaceChildren(element("b", {}, this.game.players[player]),
      ...(this.game.players[player] === PLAYERS[player] ? [] : [element("span", { class: "quiet" }, PLAYERS[player])]),
      element("span", { class: "score" }, score));
  }

  name(ply) {
    const pit = this.rows[ply][this.board.at.played];
    return pit === PASS ? "pass" : this.board.names[pit];
  }

  gameNumber(ply) {
    return this.board.at.match === undefined ? 1 : this.rows[ply][this.board.at.match];
  }

  told(ply, events) {
    const { board, rows } = this, row = rows[ply], parts = [];
    if (ply) {
      const before = rows[ply - 1], seeds = traced(before, board, events.filter((event) => event.kind !== "take"));
      const taken = events.flatMap((event) => (event.kind === "take" ? event.holes : []));
      const won = taken.reduce((sum, hole) => sum + seeds[hole], 0);
      const laps = events.filter((event) => event.kind === "lift").length;
      parts.push(`${ply}. ${PLAYERS[before[board.at.mover]]} plays ${this.name(ply)}`
        + (won ? `, captures ${plural(won)}` : "") + (laps > 1 ? `, lifting ${laps} times` : ""));
      if (this.gameNumber(ply) !== this.gameNumber(ply - 1)) parts.push(`Game ${this.gameNumber(ply)} begins`);
    }
    parts.push(this.over ? `Over: ${this.game.result}` : `${PLAYERS[row[board.at.mover]]} to move`);
    if (board.tally) {
      const [south, north] = [1, 2].map((k) => row[board.at.match + 1 + k] / board.tallyScale);
      parts.push(`Game ${this.gameNumber(ply)}: South ${south}, North ${north} ${board.tally}`);
    }
    if (board.at.removed !== undefined) parts.push(`${plural(row[board.at.removed])} removed`);
    return parts.map((part) => `${part}.`).join(" ");
  }

  /** Moves in a table of two columns; several moves of one player in a row share a cell. */
  listMoves() {
    const { board, rows } = this, lines = [];
    let cells = null, shown = 0;
    for (let ply = 1; ply <= this.last; ply++) {
      const mover = rows[ply - 1][board.at.mover];
      if (ply > 1 && this.gameNumber(ply - 1) !== this.gameNumber(ply - 2)) {
        lines.push(element("li", { class: "new" }, `Game ${this.gameNumber(ply - 1)}`));
        cells = null;
      }
      if (!cells || (mover === 0 && cells[1].childNodes.length)) {
        cells = [element("span"), element("span")];
        shown += 1;
        lines.push(element("li", {}, element("span", {}, String(shown)), ...cells));
      }
      cells[mover].append(element("button", { type: "button", "data-ply": ply, onclick: () => this.go(ply),
        "aria-label": `Move ${ply}: ${PLAYERS[mover]} ${this.name(ply)}` }, this.name(ply)));
    }
    this.list.replaceChildren(...lines);
  }

  /** What is drawn under the board: the values given, else the lead in the stores. */
  curve() {
    const { board, rows, game } = this;
    if (game.values) return [game.values, "Evaluation, South's side up"];
    if (!board.hasStores || board.tally) return [null, ""];
    return [rows.map((row) => row[board.pits] - row[board.pits + 1]), "South's lead in the stores"];
  }

  drawGraph() {
    const [values, label] = this.curve();
    const known = values?.filter((value) => value !== null) ?? [];
    this.graph.style.display = this.graphLabel.style.display = known.length > 1 ? "" : "none";
    this.graphNow = null;
    if (known.length < 2) return;
    const most = Math.max(...known.map(Math.abs), 1e-9);
    let line = "", pen = "M";
    values.forEach((value, ply) => {
      if (value === null) { pen = "M"; return; }
      line += `${pen}${this.graphX(ply).toFixed(1)} ${(50 - 34 * value / most).toFixed(1)}`;
      pen = "L";
    });
    const still = { "vector-effect": "non-scaling-stroke" };
    this.graphNow = drawn("line", { class: "now", y1: 14, y2: 86, ...still });
    this.graph.replaceChildren(drawn("line", { class: "zero", x1: 0, x2: 600, y1: 50, y2: 50, ...still }),
      drawn("path", { class: "line", d: line, ...still }), this.graphNow);
    this.graphLabel.textContent = `${label}; the scale reaches ${Number(most.toPrecision(3))} either way`;
  }

  graphX(ply) {
    return 600 * ply / Math.max(1, this.last);
  }

  drawNow() {
    if (!this.graphNow) return;
    this.graphNow.setAttribute("x1", this.graphX(this.ply));
    this.graphNow.setAttribute("x2", this.graphX(this.ply));
  }

  pickInGraph(event) {
    const { left, width } = this.graph.getBoundingClientRect();
    this.go(Math.round((event.clientX - left) / width * this.last));
  }

  key(event) {
    const keys = { ArrowLeft: () => this.back(), ArrowRight: () => this.step(), Home: () => this.go(0),
      End: () => this.go(this.last), " ": () => this.toggle(), f: () => this.flip() };
    const on = event.target.closest?.("input, select, textarea, button, a, summary");
    const typed = on && (!on.matches("button, a, summary") || event.key === " ");
    const slid = on?.matches("input[type=range]") && event.key === " ";
    if (!keys[event.key] || (typed && !slid) || event.ctrlKey || event.metaKey || event.altKey || !this.rows) return;
    event.preventDefault();
    keys[event.key]();
  }
}

function icon(path) {
  return drawn("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, drawn("path", { d: path }));
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

/** The page of player_html: a player, and a choice where there are several games. */
async function showGames() {
  const root = document.getElementById("page"), place = element("section", { "aria-label": "Replay" });
  const player = new Player(place, page.orientation);
  document.addEventListener("keydown", (event) => player.key(event));
  if (games.length > 1) {
    const choice = element("select", { id: "choice", onchange: () => player.load(games[Number(choice.value)]) },
      ...games.map((game, k) => element("option", { value: k },
        `${k + 1}. ${game.title}: ${game.players.join(" – ")}, ${game.result}`)));
    root.append(element("div", { class: "pick" }, element("label", { for: "choice" }, "Game"), choice));
  }
  root.append(place);
  await player.load(games[0]);
}
