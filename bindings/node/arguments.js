// Checks the caller's arguments. An error says what was found and what was expected.
export function typeOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? (value.constructor?.name ?? "an object") : typeof value;
}

export function refuse(name, found, expected) {
  throw new TypeError(`${name}: found ${found}, expected ${expected}`);
}

export function checkText(name, value) {
  if (typeof value !== "string") refuse(name, typeOf(value), "a string");
  return value;
}

export function checkTexts(name, values) {
  if (!Array.isArray(values)) refuse(name, typeOf(values), "an array of strings");
  for (let i = 0; i < values.length; ++i) checkText(`${name}[${i}]`, values[i]);  // forEach would skip holes
  return values;
}

export function checkChoice(name, value, choices) {
  const index = choices.indexOf(value);
  if (index < 0) refuse(name, JSON.stringify(value) ?? typeOf(value), `one of ${choices.join(", ")}`);
  return index;
}

export function checkCount(name, value, least = 0) {
  const most = 2 ** 31 - 1;
  if (typeof value === "number" && value > most) refuse(name, value, `at most ${most}`);
  if (!Number.isInteger(value) || value < least) {
    refuse(name, typeof value === "number" ? value : typeOf(value), `a whole number of at least ${least}`);
  }
  return value;
}

export function checkFloats(name, value) {
  const isOne = Object.prototype.toString.call(value) === "[object Float32Array]";  // of any realm; Jest has several
  if (!isOne) refuse(name, typeOf(value), "a Float32Array");
  return value;
}

export function checkOptions(options, known) {
  if (options === undefined) return {};
  if (options === null || typeof options !== "object") refuse("options", typeOf(options), "an object");
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) refuse("options", `'${key}'`, known.length ? `any of ${known.join(", ")}` : "none");
  }
  return options;
}

export function choice(name, options, choices) {
  return options[name] === undefined ? 0 : checkChoice(name, options[name], choices);
}

export function count(name, options, least = 0) {
  return options[name] === undefined ? 0 : checkCount(name, options[name], least);
}

export function checkFlag(name, value) {
  if (typeof value !== "boolean") refuse(name, typeOf(value), "true or false");
  return value;
}

export function checkNumber(name, value, least, most = Infinity) {
  if (typeof value !== "number" || !(value >= least && value <= most)) {
    refuse(name, String(value), `a number from ${least} to ${most}`);
  }
  return value;
}

export function flag(name, options) {
  return checkFlag(name, options[name] ?? false);
}

export function text(name, options) {
  return options[name] === undefined || options[name] === null ? undefined : checkText(name, options[name]);
}

const LONG_TEXTS = ["default", "cut", "windows", "error"];

/** Returns the option longText for a call that reads no windows; refuses "windows". */
export const cutOf = (given) => {
  if (given.longText === "windows") refuse("longText", '"windows"', "cut or error");
  return choice("longText", given, LONG_TEXTS);
};
