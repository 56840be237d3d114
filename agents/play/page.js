// ---- the page of web.py --------------------------------------------------------------------------------------------

const choices = JSON.parse(document.getElementById("data").textContent);
const LOOK = 500; // milliseconds between two checks whether an answer waits for the compiler
let session = null;

async function send(request) {
  let answer, told;
  try {
    answer = await fetch("/api", { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...request, session }) });
    told = await answer.json();
  } catch {
    throw new Error("The server does not answer. Is it still running?");
  }
  if (told.gone && location.hash) location.reload(); // the address knows the game
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
    table.wait(`Compiling ${what}. This happens only once.`);
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

async function begin() {
  const told = await ask({ command: "begin" });
  session = told.session;
  return told;
}

showPage(ask, begin, choices);
