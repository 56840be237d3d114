// ---- the page of web.py --------------------------------------------------------------------------------------------

const choices = JSON.parse(document.getElementById("data").textContent);
const KEPT = "mancala-session";
let session = sessionStorage.getItem(KEPT);

async function ask(request) {
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

async function showTable() {
  const place = document.createElement("section");
  const table = new Table(place, ask, choices);
  document.getElementById("page").append(place);
  document.addEventListener("keydown", (event) => { if (!place.contains(event.target)) table.key(event); });
  try {
    await table.open((await begin()).game);
  } catch (error) {
    table.complain(error.message);
  }
  place.dataset.open = "true";
}

showTable();
