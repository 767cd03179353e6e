// Computes the answers of the live page, one after another.
import { LiveModel } from "./model.js";

let model = null;

addEventListener("message", ({ data: { number, module, files, asked } }) => {
  Promise.resolve().then(async () => {
    if (module) {
      model = await LiveModel.create(module, files);
      return postMessage({ number });
    }
    postMessage({ number, result: model.answer(...asked) });
  }).catch(({ message }) => postMessage({ number, problem: message }));
});
