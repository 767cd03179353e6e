// The compiled part, for this system. BERT_NODE_ADDON names another file.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);

/** "glibc", or "musl" where the process has no glibc. */
function libc() {
  const report = process.report?.getReport?.();
  return report?.header?.glibcVersionRuntime ? "glibc" : "musl";
}

function load() {
  const named = process.env.BERT_NODE_ADDON;
  if (named) return require(named);
  const system = `${process.platform}-${process.arch}-${libc()}`;
  const file = fileURLToPath(new URL(`./prebuilds/${system}/bert_infer.node`, import.meta.url));
  try {
    return require(file);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    throw new Error(`bert-infer has no build for ${system}: expected ${file}`, { cause: error });
  }
}

export const native = load();

// What Model.load takes: a path, and the adapter (LoRA) beside the options of index.js.
export const directories = { accepts: (given) => typeof given === "string", expected: "a string" };
export const MORE_OPTIONS = ["adapter"];
