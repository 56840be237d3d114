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
    return await send(request);
  } finally {
    waits = false;
    clearInterval(timer);
    if (said !== null && table.says.textContent === said) table.tell(before);
  }
}

/** The game of this tab, if the server still has it; else one as the command asked for it. */
async function begin() {
  if (session) {
    try {
      return await ask({ command: "open" });
    } catch (error) {
      if (!error.gone) throw error;
    }
  }
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
  const position = linked(), kept = session, chooses = choices.lobby && !position;
  if (chooses && !kept) table.showLobby(true); // at once: what the first game needs may have to be compiled
  const failed = (error) => table.complain(error.message);
  await (table.opening = begin().then(({ game }) => table.open(game)).catch(failed));
  if (position) await table.begin(position).catch(failed);
  else if (chooses && kept && session !== kept) table.showLobby(true);
  place.dataset.open = "true";
}

showTable();
