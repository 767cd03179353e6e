// The model of the live page: a module with the program's experiments, and the built-in model's files.
import { Engine, engineError } from "./engine.js";

export class LiveModel {
  #engine;

  /** files: [name, bytes] of the built-in model. */
  static async create(module, files) {
    const live = new LiveModel();
    live.#engine = await Engine.create(module);
    for (const [name, bytes] of files) {
      live.#engine.write(live.#engine.addFile(`/builtin/${name}`, bytes.length), bytes);
    }
    return live;
  }

  /** A page of HTML. Throws an error of one line. */
  answer(question, text, pair) {
    const arrange = (given) => [question, text, pair].map((one) => given.name(one.replaceAll("\0", " ")));
    return this.#engine.call("answer_question", arrange, ({ results, status }) => {
      const result = this.#engine.name(results[0]);
      this.#engine.functions.free(results[0]);
      if (status !== 0) throw engineError("BERT_INVALID_TEXT", result);
      return result;
    });
  }
}
