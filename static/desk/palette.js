/* Pages and what can be done on this one, by name: a few letters, Enter. `dialogs.js` opens it.
   Expects: <dialog id="palette"> with an <input role="combobox">, an <ul role="listbox"> and a <template> of links:
   to pages that the navigation lacks, and with data-finds to lists that what is typed is searched in. */

const dialog = document.getElementById("palette");
const input = dialog.querySelector("input");
const list = dialog.querySelector("[role=listbox]");
const links = dialog.querySelector("template").content;
let entries = [];
let shown = [];
let chosen = 0;

const wordsOf = (element) => {
  const copy = element.cloneNode(true);
  for (const part of copy.querySelectorAll("kbd, svg, .only-heard, [data-countdown-left]")) part.remove();
  return (copy.textContent.trim() || element.getAttribute("aria-label") || "").replace(/\s+/g, " ");
};

/* What can be done comes first: it concerns what is in front. */
function collect() {
  const acts = [...document.querySelectorAll("#main [data-key], .topbar [data-theme-toggle], [data-opens=key-map]")]
    .filter((element) => element.checkVisibility() && !element.disabled)
    .map((element) => ({ words: wordsOf(element), key: element.dataset.key ?? "", run: () => element.click() }));
  const more = links.querySelectorAll("a:not([data-finds])");
  const pages = [...document.querySelectorAll(".topbar__nav a"), ...more].map((link) => ({
    words: wordsOf(link),
    key: "",
    run: () => location.assign(link.href),
  }));
  return [...acts, ...pages].filter((entry) => entry.words);
}

/* Every letter typed, in order: "dom" and "dmn" both find "Domains"; what begins with it comes first. */
function rank(words, typed) {
  const [text, wanted] = [words.toLowerCase(), typed.toLowerCase()];
  if (text.startsWith(wanted)) return 0;
  if (text.includes(wanted)) return 1;
  let from = 0;
  for (const letter of wanted) {
    from = text.indexOf(letter, from) + 1;
    if (!from) return -1;
  }
  return 2;
}

function show() {
  const typed = input.value.trim();
  shown = entries
    .map((entry) => ({ entry, at: rank(entry.words, typed) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
    .map(({ entry }) => entry)
    .slice(0, 12);
  for (const link of typed ? links.querySelectorAll("[data-finds]") : []) {
    const address = `${link.href}?${new URLSearchParams({ q: typed })}`;
    shown.push({ words: `${wordsOf(link)} “${typed}”`, key: "", run: () => location.assign(address) });
  }
  list.replaceChildren(...shown.map(option));
  choose(0);
}

function option(entry, index) {
  const item = document.createElement("li");
  item.id = `palette-${index}`;
  item.setAttribute("role", "option");
  item.className = "palette__entry";
  const words = document.createElement("bdi");
  words.textContent = entry.words;
  item.append(words);
  if (entry.key) {
    const key = document.createElement("kbd");
    key.textContent = entry.key.toUpperCase();
    item.append(key);
  }
  return item;
}

function choose(index) {
  chosen = Math.max(0, Math.min(index, shown.length - 1));
  [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === chosen)));
  input.setAttribute("aria-activedescendant", shown.length ? `palette-${chosen}` : "");
  list.children[chosen]?.scrollIntoView({ block: "nearest" });
}

function run(index) {
  const entry = shown[index];
  if (!entry) return;
  dialog.close();
  entry.run();
}

/* Offer what there is now, for what was typed meanwhile. */
export function fill() {
  entries = collect();
  show();
}

input.addEventListener("input", show);
input.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step && event.key !== "Enter") return;
  event.preventDefault();
  if (step) choose(chosen + step);
  else run(chosen);
});
list.addEventListener("click", (event) => {
  const item = event.target.closest("[role=option]");
  if (item) run([...list.children].indexOf(item));
});
