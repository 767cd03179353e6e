// Loads the compiled part for this system, or the file that BERT_NODE_ADDON names. This is the first part of index.cjs.
const path = require("node:path");

/** Returns "-glibc", or "-musl" if the process has no glibc. Returns "" on other systems than Linux. */
function libc() {
  if (process.platform !== "linux") return "";
  const report = process.report?.getReport?.();
  return report?.header?.glibcVersionRuntime ? "-glibc" : "-musl";
}

function load() {
  const named = process.env.BERT_NODE_ADDON;
  if (named) return require(named);
  const system = `${process.platform}-${process.arch}${libc()}`;
  const file = path.join(__dirname, "prebuilds", system, "bert_infer.node");
  try {
    return require(file);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    throw new Error(`bert-infer has no build for ${system}: expected ${file}`, { cause: error });
  }
}

const native = load();

// Model.load accepts a path, and the option `adapter` (LoRA) besides the options of index.js.
const directories = { accepts: (given) => typeof given === "string", expected: "a string" };
const MORE_OPTIONS = ["adapter"];
