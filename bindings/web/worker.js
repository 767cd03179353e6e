// The worker computes one message after another, so that the page is not blocked. A message has a number, the name of a
// method of Host, and arguments; the answer has the same number.
import { Host } from "./host.js";

let host;
let last = Promise.resolve();

const send = (message) => {
  const data = message.result?.data;
  postMessage(message, data instanceof Float32Array ? [data.buffer] : []);
};

async function answer({ number, method, given }) {
  try {
    if (method === "begin") {
      host = await Host.create(...given);
      return send({ number });
    }
    if (method === "load") {
      const [source, options, controls] = given;
      const onProgress = (progress) => send({ number, progress });
      return send({ number, result: await host.load(source, options, { ...controls, onProgress }) });
    }
    send({ number, result: await host[method](...given) });
  } catch (error) {
    const { code, message, name } = error;
    send({ number, error: { code, message, name } });
  }
}

addEventListener("message", ({ data }) => {
  if (data.method === "cancel") host?.cancel(data.given[0]);
  else last = last.then(() => answer(data));
});
