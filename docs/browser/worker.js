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
  const python = await loadPyodide({ indexURL: `${HERE}pyodide/`, env: { HOME: "/home/pyodide" } });
  await python.loadPackage("numpy", { messageCallback: () => undefined });
  const packed = await fetch(`${HERE}mancala.zip`);
  if (!packed.ok) throw new Error(`mancala.zip: ${packed.status}`);
  python.unpackArchive(await packed.arrayBuffer(), "zip");
  postMessage({ unpacked: true });
  return { python, answer: python.runPython("from docs.browser.game import answer\nanswer") };
}

const ready = start();

/** The weights of a policy of the zoo are fetched when it plays for the first time. */
async function bringPolicy({ FS }, against) {
  const [, name] = /^zoo:([\w-]+)$/.exec(against ?? "") ?? [];
  const place = `/home/pyodide/agents/zoo/${name}`;
  if (!name || !FS.analyzePath(`${place}/policy.json`).exists || FS.analyzePath(`${place}/policy.safetensors`).exists) return;
  const weights = await fetch(`${HERE}zoo/${name}.safetensors`).catch(() => ({}));
  if (!weights.ok) throw Object.assign(new Error(name), { told: "The weights of this opponent cannot be loaded: is there a network? Others need none." });
  FS.writeFile(`${place}/policy.safetensors`, new Uint8Array(await weights.arrayBuffer()));
}

self.addEventListener("message", async ({ data: { id, request } }) => {
  try {
    const { python, answer } = await ready;
    await bringPolicy(python, request.against);
    postMessage({ id, told: JSON.parse(answer(JSON.stringify(request))) });
  } catch (error) {
    console.error(error);
    postMessage({ id, told: { error: error.told ?? "Python failed; the console of the browser says why." } });
  }
});
