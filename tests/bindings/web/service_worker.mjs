// A service worker with a model, for browser_page.html. A service worker cannot start workers, and its script cannot
// await.
import { Model } from "/package/index.js";

addEventListener("message", (event) => {
  const [port] = event.ports;
  const answer = async () => {
    const model = await Model.load(event.data);
    port.postMessage({ vector: await model.embed("the quick fox") });
    model.close();
  };
  event.waitUntil(answer().catch((error) => port.postMessage({ problem: String(error.stack) })));
});
