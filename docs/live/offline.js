// Keeps the files of the live page in the browser, so that it opens without a network. The first visit's page has begun
// before this runs: it keeps the large files itself (loading.js), and this the page and its scripts.
const CACHE = "@live_cache@";
const FIRST = ["./", "engine.js", "@live_script_names@"];

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FIRST)));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith((async () => {
    const cache = await caches.open(CACHE);
    try {
      const answer = await fetch(event.request);
      if (answer.ok) await cache.put(event.request, answer.clone()).catch(() => {});
      return answer;
    } catch (error) {
      const kept = await cache.match(event.request.mode === "navigate" ? "./" : event.request);
      if (kept) return kept;
      throw error;
    }
  })());
});
