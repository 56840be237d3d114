// Python in a worker of the browser: loads Pyodide and the project, then answers requests with docs/browser/game.py.

const HERE = new URL("./", self.location.href).href;
let loaded = 0;

/** Files come through here, so that the page can show how much has come. */
const plain = self.fetch.bind(self);
self.fetch = async (...asked) => {
  const answer = await plain(...asked);
  if (!answer.ok || !answer.body) return answer;
  const counted = answer.body.pipeThrough(new TransformStream({
    transform(part, stream) {
      loaded += part.byteLength;
      postMessage({ loaded });
      stream.enqueue(part);
    },
  }));
  return new Response(counted, { status: answer.status, headers: answer.headers });
};

async function start() {
  importScripts(`${HERE}pyodide/pyodide.js`);
  const python = await loadPyodide({ indexURL: `${HERE}pyodide/`, env: { NUMBA_DISABLE_JIT: "1", HOME: "/home/pyodide" } });
  await python.loadPackage("numpy", { messageCallback: () => undefined });
  const packed = await fetch(`${HERE}mancala.zip`);
  if (!packed.ok) throw new Error(`mancala.zip: ${packed.status}`);
  python.unpackArchive(await packed.arrayBuffer(), "zip");
  postMessage({ unpacked: true });
  return python.runPython("from docs.browser.game import answer\nanswer");
}

const ready = start();

self.addEventListener("message", async ({ data: { id, request } }) => {
  try {
    const answer = await ready;
    postMessage({ id, told: JSON.parse(answer(JSON.stringify(request))) });
  } catch (error) {
    console.error(error);
    postMessage({ id, told: { error: "Python failed; the console of the browser says why." } });
  }
});
