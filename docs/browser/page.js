// ---- the page of docs/browser: a worker answers ----------------------------------------------------------------------

const choices = JSON.parse(document.getElementById("data").textContent);
const WHOLE = Object.values(choices.loads).reduce((sum, size) => sum + size, 0);
const waiting = new Map();
let worker = null, table = null, count = 0;

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

function loading(bytes) {
  if (document.querySelector("[data-open=true]")) table.tell("Loading the weights of the opponent.");
  else table.tell(`Loading Python and the rules, ${megabytes(WHOLE)} MB, once: ${megabytes(Math.min(bytes, WHOLE))} MB are here. `
    + "This takes some seconds, or a minute on a slow line.");
}

function receive({ data }) {
  if (data.loaded !== undefined) loading(data.loaded);
  else if (data.unpacked) table.tell("All is here. Python starts, which takes some seconds.");
  else {
    const asked = waiting.get(data.id);
    if (!asked) return; // it was told before that this failed
    const { done, fail } = asked;
    waiting.delete(data.id);
    if (data.told.error === undefined) done(data.told);
    else fail(Object.assign(new Error(data.told.error), data.told));
  }
}

function failed() {
  for (const { fail } of waiting.values()) fail(new Error("Python could not be loaded: is this page opened from a file?"));
  waiting.clear();
}

function ask(request) {
  return new Promise((done, fail) => {
    count += 1;
    waiting.set(count, { done, fail });
    worker.postMessage({ id: count, request });
  });
}

/** What the address asks for: `?game=oware&against=random&seat=1&seed=3`; what it leaves out is as usual. */
function asked() {
  const said = new URLSearchParams(location.search), first = { ...choices.first };
  const game = said.get("game");
  if (choices.games.includes(game)) first.rules = game;
  const there = choices.opponents[first.rules];
  first.against = [said.get("against"), first.against, there[0]].find((name) => there.includes(name));
  first.seat = said.get("seat") === "1" && !choices.alone.includes(first.rules) ? 1 : 0;
  first.seed = /^\d{1,9}$/.test(said.get("seed")) ? Number(said.get("seed")) : first.seed;
  return first;
}

async function showTable() {
  const place = document.createElement("section"), main = document.getElementById("page");
  choices.first = asked();
  table = new Table(place, ask, choices, null, "h1");
  main.append(place);
  document.addEventListener("keydown", (event) => { if (!place.contains(event.target)) table.key(event); });
  loading(0);
  try {
    worker = new Worker("worker.js");
    worker.addEventListener("message", receive);
    worker.addEventListener("error", failed);
    await table.open((await ask({ command: "begin", ...choices.first })).game);
  } catch (error) {
    table.complain(error.message);
  }
  place.dataset.open = "true";
}

showTable();
