// ---- the page of docs/browser: a worker answers ----------------------------------------------------------------------

const choices = JSON.parse(document.getElementById("data").textContent);
const WHOLE = Object.values(choices.loads).reduce((sum, size) => sum + size, 0);
const waiting = new Map();
const BROKEN = "Python could not be loaded: is this page opened from a file, or in a sandbox?";
let worker = null, broken = false, count = 0;

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

function tell(text, share = null) {
  table.wait(text, share);
  table.lobby.say(text, share);
}

function loading(bytes) {
  if (document.querySelector("[data-open=true]")) table.wait("Loading the weights of the opponent.");
  else tell(`Loading Python and the rules, ${megabytes(WHOLE)} MB, once: ${megabytes(Math.min(bytes, WHOLE))} MB are here. `
    + "This takes some seconds, or a minute on a slow line.", bytes / WHOLE);
}

function receive({ data }) {
  if (data.loaded !== undefined) loading(data.loaded);
  else if (data.unpacked) tell("All is here. Python starts, which takes some seconds.");
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
  broken = true;
  for (const { fail } of waiting.values()) fail(new Error(BROKEN));
  waiting.clear();
}

function ask(request) {
  return new Promise((done, fail) => {
    if (broken) { fail(new Error(BROKEN)); return; }
    count += 1;
    waiting.set(count, { done, fail });
    worker.postMessage({ id: count, request });
  });
}

async function begin() {
  loading(0);
  try {
    worker = new Worker(`${choices.files}/worker.js`);
  } catch {
    failed();
  }
  worker?.addEventListener("message", receive);
  worker?.addEventListener("error", failed);
  const told = await ask({ command: "begin", ...choices.first });
  table.lobby.say("");
  keepOffline();
  return told;
}

/** Once all is here, keep it, so that the page is there without a network. */
function keepOffline() {
  if (location.protocol.startsWith("http")) navigator.serviceWorker?.register("sw.js").catch(() => undefined);
}

showPage(ask, begin, choices);
