// Finds the files of a model's directory that modules.json and config.json name. The caller says how a file is read,
// for example from an address or from the hub.

const WEIGHTS = "model.safetensors";
const SHARDS = "model.safetensors.index.json";
const HEAD_FOLDERS = ["colbert_linear", "sparse_linear"];
const LABELS_FOLDER = "labels_tokenizer";
const VOCABULARIES = [
  ["vocab.txt"], ["vocab.json", "merges.txt"], ["sentencepiece.bpe.model"], ["spiece.model"], ["spm.model"],
];
// Modules that are no encoder. Any other first module is an encoder.
const MODULES_WITHOUT_WEIGHTS = ["Pooling", "SpladePooling", "Normalize", "Dropout", "LogitScore", "MultiVectorMask"];
const MODULES = [...MODULES_WITHOUT_WEIGHTS, "Dense", "LayerNorm"];

/** Reads files by their names. A class that extends this one has load(name), which reads a file and says whether it
 * exists. */
export class DirectoryReader {
  small = new Map();  // contents of files that are not weights
  #asked = new Map();

  /** Returns whether the file exists. A file is read once. */
  read(name) {
    if (!this.#asked.has(name)) this.#asked.set(name, this.load(name));
    return this.#asked.get(name);
  }

  /** Returns for each name whether the file exists. */
  readAll(names) {
    return Promise.all(names.map((name) => this.read(name)));
  }

  /** Returns the content of a JSON file; null if there is none or if it is not JSON, which the library then reports. */
  json(name) {
    const bytes = this.small.get(name);
    try {
      return bytes === undefined ? null : JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return null;
    }
  }
}

/** Returns whether a file name from a JSON file stays inside the model's folder. */
const isInside = (name) => typeof name === "string" && name !== "" && !/(^|\/)\.\.?(\/|$)|^\/|:|\\/.test(name);

async function readWeights(reader, folder) {
  if (await reader.read(`${folder}${WEIGHTS}`)) return true;
  if (!(await reader.read(`${folder}${SHARDS}`))) return false;
  const shards = new Set(Object.values(reader.json(`${folder}${SHARDS}`)?.weight_map ?? {}));
  for (const shard of shards) if (isInside(shard)) await reader.read(`${folder}${shard}`);
  return true;
}

/** Reads tokenizer_config.json and tokenizer.json, and the other tokenizer files that these do not replace. */
async function readTokenizer(reader, folder) {
  const readAll = (...names) => reader.readAll(names.map((name) => `${folder}${name}`));
  const [, isWhole] = await readAll("tokenizer_config.json", "tokenizer.json");
  const config = reader.json(`${folder}tokenizer_config.json`);
  if (config?.added_tokens_decoder === undefined) await readAll("special_tokens_map.json", "added_tokens.json");
  for (let i = 0, isFound = isWhole; !isFound && i < VOCABULARIES.length; ++i) {
    isFound = (await readAll(...VOCABULARIES[i])).includes(true);
  }
}

/** Reads a model's configuration, tokenizer and weights; returns whether there are weights. */
async function readEncoder(reader, folder, isModule = false) {
  await Promise.all([reader.read(`${folder}config.json`), readTokenizer(reader, folder)]);
  const { model_type: type } = reader.json(`${folder}config.json`) ?? {};
  if (type === "openai_privacy_filter") await reader.read(`${folder}viterbi_calibration.json`);
  if (isModule && !(await reader.read(`${folder}sentence_bert_config.json`)) && type !== "bert" && isInside(type)) {
    await reader.read(`${folder}sentence_${type}_config.json`);
  }
  return readWeights(reader, folder);
}

/** Reads a module of modules.json or of a router. */
async function readModule(reader, { path, type }, isFirst) {
  const folder = path ? `${path}/` : "", kind = String(type).split(".").pop();
  if (path && !isInside(path)) return;
  if (kind === "Router" || kind === "Asym") {
    const names = [`${folder}router_config.json`, `${folder}config.json`];
    if (!(await reader.read(names[0]))) await reader.read(names[1]);
    const types = (reader.json(names[0]) ?? reader.json(names[1]))?.types ?? {};
    for (const route of Object.keys(types)) {
      await readModule(reader, { path: `${folder}${route}`, type: types[route] }, true);
    }
  } else if (isFirst && !kind.endsWith("StaticEmbedding") && !MODULES.includes(kind)) {
    await readEncoder(reader, folder, true);
  } else if (folder !== "" || isFirst) {
    await reader.read(`${folder}config.json`);
    if (kind === "LogitScore") await reader.read("chat_template.jinja");
    if (!MODULES_WITHOUT_WEIGHTS.includes(kind)) await readWeights(reader, folder);
    if (isFirst) await reader.read(`${folder}tokenizer.json`);
  }
}

/** Reads the files that a directory without modules.json may have beside an encoder, as config.json says. */
async function readSigns(reader, config) {
  const architectures = [config?.architectures ?? []].flat().map(String);
  if (architectures.includes("HF_ColBERT")) await reader.read("artifact.metadata");
  const isOther = architectures.some((name) => /For(?!MaskedLM|PreTraining)/.test(name));
  if (!isOther) await reader.read("gliner_config.json");
  if (!config) await reader.read("adapter_config.json");
  if (config?.model_type === "extractor") await reader.read("encoder_config/config.json");  // GLiNER2
  const { labels_encoder: ofLabels } = reader.json("gliner_config.json") ?? {};
  if (ofLabels || config?.model_type === "GLiClass") await readTokenizer(reader, `${LABELS_FOLDER}/`);
}

/** Reads the files that modules.json and config.json name, or `names` instead. Returns whether there is any file. */
export async function readDirectory(reader, names) {
  if (names) return (await reader.readAll(names)).includes(true);
  const [isConfigured, hasModules] = await reader.readAll(["config.json", "modules.json"]);
  const config = reader.json("config.json"), modules = reader.json("modules.json");
  if (Array.isArray(modules)) {
    await reader.read("config_sentence_transformers.json");
    for (const [i, module] of modules.entries()) await readModule(reader, module ?? {}, i === 0);
  } else {
    await readSigns(reader, config);
    const hasWeights = await readWeights(reader, "");
    if (!isConfigured && !hasModules && !hasWeights && reader.small.size === 0) return false;
    await readEncoder(reader, "");
  }
  const { pooling_mode: mode, pooling_mode_cls_token: isFirst } = reader.json("1_Pooling/config.json") ?? {};
  for (const path of isFirst || mode === "cls" ? HEAD_FOLDERS : []) {  // BGE-M3 has these heads
    if (await reader.read(`${path}/config.json`)) await reader.read(`${path}/${WEIGHTS}`);
  }
  return true;
}
