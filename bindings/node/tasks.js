// The tasks, from the library's description: what each task reads, and the checks of its options. The library's names
// have "_" between words (top_k); JavaScript's are in camel case (topK).
import {
  checkChoice, checkCount, checkFlag, checkNumber, checkOptions, checkText, checkTexts, refuse, typeOf,
} from "./arguments.js";
import { native } from "./native.js";

const camelCase = (name) => name?.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

let table = null;

/** {reads, gives, options} of each task by its name. */
export function tasks() {
  table ??= Object.fromEntries(JSON.parse(native.tasks).map(({ name, reads, gives, options }) => {
    const all = options.map(({ needs, excludes, ...option }) => {
      return { ...option, as: camelCase(option.name), needs: camelCase(needs), excludes: camelCase(excludes) };
    });
    return [name, { reads, gives, options: all }];
  }));
  return table;
}

const CHECKS = {
  flag: checkFlag,
  size: (name, value, { least }) => checkCount(name, value, least),
  number: (name, value, { least, most }) => checkNumber(name, value, least, most),
  word: (name, value, { words }) => checkChoice(name, value, words),
  text: checkText,
  texts: checkTexts,
};

const isGiven = (value) => value !== undefined && value !== null;
const wellFormed = (_, value) => (typeof value === "string" ? value.replace(/\p{Surrogate}/gu, "\ufffd") : value);

/** Returns the options of a task as JSON for the library. own: options that are arguments of the call. */
export function taskOptions(task, options, own) {
  const { reads, options: all } = tasks()[task];
  const known = all.map(({ as }) => as).filter((name) => !(name in own));
  if (reads.includes("pair") && !("pair" in own)) known.unshift("pair");
  const given = { ...checkOptions(options, known), ...own };
  // The description has no rule on another option's value: scores of windows need windows.
  if (isGiven(given.windowScores) && !isGiven(given.stride) && given.longText !== "windows") {
    refuse("windowScores", "no stride beside it", "a stride");
  }
  const chosen = {};
  for (const option of all) {
    const { name, as, type, needs, excludes } = option;
    if (!isGiven(given[as]) && !(as in own)) continue;
    CHECKS[type](as, given[as], option);
    if (needs && !isGiven(given[needs])) refuse(as, `no ${needs} beside it`, "both or none");
    if (excludes && isGiven(given[excludes])) refuse(as, `${excludes} beside it`, "one of them");
    chosen[name] = given[as];
  }
  return JSON.stringify(chosen, wellFormed);
}

/**
 * Returns the inputs of a task from one text, or from several, each with its pair if given. A text may be {words} if
 * the task reads words. names: the arguments' names.
 */
export function taskInputs(task, texts, pairs, names) {
  const { reads } = tasks()[task];
  const one = (text, pair, place) => {
    const [name, pairName] = names.map((each) => each + place);
    if (reads === "text or words" && text?.words) return { words: checkTexts(`${name}.words`, text.words) };
    const input = { text: checkText(name, text) };
    if (reads === "pair" || isGiven(pair)) input.pair = checkText(pairName, pair);
    return input;
  };
  if (!Array.isArray(texts)) return [one(texts, pairs, "")];
  if (isGiven(pairs) && !(Array.isArray(pairs) && pairs.length === texts.length)) {
    refuse(names[1], Array.isArray(pairs) ? pairs.length : typeOf(pairs), `an array of ${texts.length} strings`);
  }
  return Array.from(texts, (text, i) => one(text, pairs?.[i], `[${i}]`));  // map would skip holes
}
