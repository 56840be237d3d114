// ---- the page of web.py --------------------------------------------------------------------------------------------

const choices = JSON.parse(document.getElementById("data").textContent);
const KEPT = "mancala-session";
let session = sessionStorage.getItem(KEPT);

const LOOK = 500; // milliseconds between two checks whether an answer waits for the compiler
let table = null;

async function send(request) {
  let answer, told;
  try {
    answer = await fetch("/api", { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...request, session }) });
    told = await answer.json();
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  if (!answer.ok) throw Object.assign(new Error(told.error), told);
  return told;
}

const WITHOUT_GAME = ["opponents", "picture", "status"];

/** Send a request; while it has to wait for a compiler, the page says what is being compiled, and about how long. */
async function ask(request) {
  let waits = true, before = null, said = null;
  const look = async () => {
    const { what } = await send({ command: "status" });
    if (!waits || !what || table.says.textContent === said) return;
    before ??= table.says.textContent;
    table.tell(`Compiling ${what}. This happens only once.`);
    said = table.says.textContent;
  };
  const timer = setInterval(() => look().catch(() => undefined), LOOK);
  try {
    if (!session && request.command !== "begin" && !WITHOUT_GAME.includes(request.command)) await first();
    return await send(request);
  } finally {
    waits = false;
    clearInterval(timer);
    if (said !== null && table.says.textContent === said) table.tell(before);
  }
}

/** The game of this tab; null if the server no longer has it, or there was none. */
async function kept() {
  if (!session) return null;
  try {
    return await ask({ command: "open" });
  } catch (error) {
    if (!error.gone) throw error;
    session = null;
    return null;
  }
}

/** A game as the command asked for it, which the server keeps from now on. */
async function first() {
  const told = await ask({ command: "begin" });
  session = told.session;
  sessionStorage.setItem(KEPT, session);
  return told;
}

/** The address of a position, which this page opens when it is asked for it. */
function linkTo(position) {
  return `${location.origin}/#${new URLSearchParams(position)}`;
}

/** The game and position that the address asks for; null if none. */
function linked() {
  const asked = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (!asked.rules || !asked.position) return null;
  history.replaceState(null, "", location.pathname);
  return { ...asked, seat: Number(asked.seat), seed: Number(asked.seed) };
}

async function showTable() {
  const place = document.createElement("section");
  document.getElementById("page").append(place);
  table = new Table(place, ask, choices, linkTo, "h1");
  document.addEventListener("keydown", (event) => { if (!place.contains(event.target)) table.key(event); });
  table.tell("The board is being laid out.");
  try {
    const position = linked(), told = await kept();
    if (told || position || !choices.lobby) {
      await table.open((told ?? await first()).game);
      if (position) await table.begin(position);
    } else table.showLobby(true); // a game can be chosen before anything is compiled
  } catch (error) {
    table.complain(error.message);
  }
  place.dataset.open = "true";
}

showTable();
