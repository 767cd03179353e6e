// The live page: what is typed goes to the model, and its answer, a page of the program's own, is shown.
import { builtinFiles, compiledModule, keepOffline, startWorker } from "./loading.js";
import { LiveModel } from "./model.js";

const FOX = "The quick brown fox jumps over the lazy dog";
// Each question with the labels of its inputs and what stands in them first.
const QUESTIONS = [
  { id: "tokens", name: "What are the tokens?", text: FOX, pair: "", labels: ["Text", "Second text (segment B), if any"] },
  { id: "parts", name: "What goes into a token?", text: FOX, labels: ["Text"] },
  { id: "moved", name: "A word moved: what changes?", text: "The dog bit the man", pair: "The man bit the dog",
    labels: ["Text", "The same words in another order"] },
  { id: "order", name: "Does the order matter?", text: FOX, labels: ["Text"] },
  { id: "words", name: "Are king and queen near?", text: "king queen man woman", labels: ["Up to four words"] },
  { id: "attention", name: "What do the heads attend to?", text: FOX, labels: ["Text"] },
  { id: "layers", name: "Position or meaning, layer by layer?", labels: [] },
  { id: "segments", name: "Where does a segment begin?", text: "The dog saw a fox.", pair: "It barked at the fox.",
    labels: ["Text (segment A)", "Second text (segment B)"] },
  { id: "positions", name: "What is in the position table?", labels: [] },
];
const PAUSE_MS = 250;  // after the last key
const NAMES = ["text", "pair"];

const element = (id) => document.getElementById(id);
const form = element("form"), answer = element("answer"), state = element("status");
let asked = 0, current = QUESTIONS[0], ask = null;

// What was typed, for the other questions that begin with the same text and, until the page is closed, for a reload.
const keyOf = (question, name) => (question[name] === FOX ? "fox" : `${question.id}.${name}`);
const typed = new Map();
try {
  for (const [key, text] of JSON.parse(sessionStorage.getItem("typed") ?? "[]")) typed.set(key, text);
} catch {
  // Such a page keeps nothing.
}

function keepTyped() {
  for (const name of NAMES) {
    if (form.elements[name].value !== (current[name] ?? "")) typed.set(keyOf(current, name), form.elements[name].value);
    else typed.delete(keyOf(current, name));
  }
  try {
    sessionStorage.setItem("typed", JSON.stringify([...typed]));
  } catch {
    // As above.
  }
}

function say(line, isProblem = false) {
  state.textContent = line;
  state.className = isProblem ? "problem" : "";
}

/** A function that answers a question: in a worker, or in this thread where there is none. */
async function begin() {
  const [module, files] = await Promise.all([
    compiledModule(), builtinFiles((share) => say(`The model is loading: ${Math.round(100 * share)} %`)),
  ]);
  const here = async () => {
    const model = await LiveModel.create(module, files);
    return async (...given) => model.answer(...given);
  };
  const worker = startWorker();
  if (worker === null) return here();
  const waiting = new Map();
  let number = 0;
  const send = (message) => new Promise((resolve, reject) => {
    waiting.set(++number, { resolve, reject });
    worker.postMessage({ number, ...message });
  });
  worker.addEventListener("message", ({ data }) => {
    const { resolve, reject } = waiting.get(data.number);
    waiting.delete(data.number);
    if (data.problem === undefined) resolve(data.result);
    else reject(new Error(data.problem));
  });
  const broken = new Promise((_, reject) => {
    worker.addEventListener("error", () => reject(new Error("the worker could not be started")));
  });
  try {
    await Promise.race([send({ module, files }), broken]);
  } catch {
    return here();
  }
  return (...given) => send({ asked: given });
}

/** The program's page in this one: its headings are of a lower level here, and its ids are kept. */
function show(html) {
  const page = new DOMParser().parseFromString(html, "text/html");
  if (!document.querySelector("style[data-drawings]")) {
    const style = document.createElement("style");
    style.dataset.drawings = "";
    style.textContent = page.querySelector("style").textContent;
    document.head.prepend(style);
  }
  page.querySelectorAll("h1, .lead").forEach((one) => one.remove());
  for (const drawing of page.querySelectorAll("svg")) {
    if (!drawing.querySelector("title")?.textContent) drawing.setAttribute("aria-hidden", "true");
  }
  answer.replaceChildren(...page.body.childNodes);
}

async function update() {
  const number = ++asked, { text, pair } = form.elements;
  answer.setAttribute("aria-busy", "true");
  const begun = performance.now();
  if (ask === null) return;
  say("computing …");
  try {
    const html = await ask(current.id, text.value, pair.value);
    if (number !== asked) return;
    show(html);
    say(`Computed in this page in ${Math.round(performance.now() - begun)} ms.`);
  } catch (error) {
    if (number !== asked) return;
    answer.replaceChildren();
    say(error.message, true);
  }
  answer.setAttribute("aria-busy", "false");
}

function choose(question) {
  current = question;
  for (const [i, name] of NAMES.entries()) {
    const label = element(i === 0 ? "first" : "second");
    label.hidden = question.labels[i] === undefined;
    label.querySelector("span").textContent = question.labels[i] ?? "";
    form.elements[name].value = typed.get(keyOf(question, name)) ?? question[name] ?? "";
  }
  for (const button of element("questions").querySelectorAll("button")) {
    button.setAttribute("aria-current", String(button.value === question.id));
  }
  if (location.hash !== `#${question.id}`) history.replaceState(null, "", `#${question.id}`);
  return update();
}

for (const question of QUESTIONS) {
  const item = document.createElement("li"), button = document.createElement("button");
  Object.assign(button, { type: "button", value: question.id, textContent: question.name });
  button.addEventListener("click", async () => {
    await choose(question);
    // On a phone the questions fill the screen.
    if (state.getBoundingClientRect().bottom > innerHeight / 2) state.scrollIntoView();
  });
  item.append(button);
  element("questions").append(item);
}
let pause = 0;
form.addEventListener("input", () => {
  keepTyped();
  clearTimeout(pause);
  pause = setTimeout(update, PAUSE_MS);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  update();
});
addEventListener("hashchange", () => {
  const named = QUESTIONS.find(({ id }) => `#${id}` === location.hash);
  if (named && named !== current) choose(named);
});

choose(QUESTIONS.find(({ id }) => `#${id}` === location.hash) ?? QUESTIONS[0]);
try {
  ask = await begin();
  keepOffline();
  await update();
} catch (error) {
  say(`The model could not be loaded: ${error.message}`, true);
}
