// So that the page is there without a network, too: what of it was loaded before is kept, under the name of its version.

const KEPT = "mancala-VERSION"; // docs/browser/__init__.py writes which, and the files
const FILES = [];

async function install() {
  const kept = await caches.open(KEPT);
  await kept.addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })));
  await self.skipWaiting();
}

async function activate() {
  const others = (await caches.keys()).filter((name) => name.startsWith("mancala-") && name !== KEPT);
  await Promise.all(others.map((name) => caches.delete(name)));
  await self.clients.claim();
}

/** The page itself is the newest there is, and leads to the files of its version; those never change. */
async function answer(request) {
  const kept = await caches.open(KEPT);
  if (request.mode === "navigate") return fetch(request, { cache: "no-cache" }).catch(() => kept.match(FILES[0]));
  const known = await kept.match(request);
  if (known) return known;
  const found = await fetch(request);
  if (found.ok) await kept.put(request, found.clone());
  return found;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(self.registration.scope)) event.respondWith(answer(request));
});
