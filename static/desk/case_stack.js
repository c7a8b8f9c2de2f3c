/* What is in front and what comes behind it. Expects: #current-case with one element, a case ([data-case]) or the empty
   desk, each with data-address, data-title and data-announce; #desk, #notices and #announcements.
   Others listen to the events case:shown and case:ahead; #desk[data-held] and [data-kept] name the cases of this page. */

const desk = document.getElementById("desk");
const slot = document.getElementById("current-case");
const ahead = [];
let isLeft = false; // the case in front was acted on and waits for its successor
let leaving = []; // cases that were acted on; the server has not answered

export const current = () => slot.firstElementChild;
export const isWaiting = () => isLeft;
const idOf = (element) => element?.dataset.case ?? "";

/* Name the cases on this page, in order: those the server should not send again. */
export function held() {
  return [...leaving, ...(isLeft ? [] : [current()]), ...ahead].map(idOf).filter(Boolean);
}

export function leave() {
  const element = current();
  leaving.push(element);
  isLeft = true;
  element.setAttribute("aria-busy", "true");
  advance();
  return element;
}

/* Go on to a case that waits here; tells whether there was one. */
export function goOn() {
  if (!ahead.length) return false;
  show(ahead.shift());
  return true;
}

export function settled(element) {
  leaving = leaving.filter((other) => other !== element);
  remember();
}

/* Put the parts of an answer in place: a case that must be in front, those behind it, or the empty desk. */
export function take(parts) {
  const root = parts.querySelector("[data-answer]");
  const found = [...parts.querySelectorAll("template[data-part=case]")].map((part) => part.content.firstElementChild);
  const first = root.dataset.current && found.find((element) => idOf(element) === root.dataset.current);
  const known = new Set(held());
  for (const element of found) {
    if (element === first || known.has(idOf(element))) continue;
    ahead.push(element);
    document.dispatchEvent(new CustomEvent("case:ahead", { detail: element }));
  }
  if (first) bring(first);
  advance();
  const idle = parts.querySelector("template[data-part=idle]")?.content.firstElementChild;
  const isDone = isLeft ? !leaving.length : !("claim" in current().dataset);
  if (idle && isDone) show(idle);
  remember();
}

/* Bring a case in front; the one that is there, if it still waits for a decision, comes after it. */
function bring(element) {
  drop([idOf(element)]);
  const there = current();
  if (!isLeft && idOf(there) && idOf(there) !== idOf(element) && "claim" in there.dataset) ahead.unshift(there);
  show(element);
}

/* Acts that came to nothing: their cases come back in the order in which they were acted on. */
export function putBack(elements) {
  if (!elements.length) return;
  if (!isLeft && idOf(current())) ahead.unshift(current());
  leaving = leaving.filter((element) => !elements.includes(element));
  for (const element of elements) element.removeAttribute("aria-busy");
  ahead.unshift(...elements.slice(1));
  show(elements[0]);
}

export function drop(ids) {
  for (let index = ahead.length - 1; index >= 0; index -= 1) if (ids.includes(idOf(ahead[index]))) ahead.splice(index, 1);
  remember();
}

function advance() {
  if (isLeft && ahead.length) show(ahead.shift());
}

function show(element) {
  for (const dialog of slot.querySelectorAll("dialog[open]")) dialog.close();
  isLeft = false;
  const isOther = element !== current();
  if (isOther) slot.replaceChildren(element);
  history.replaceState(null, "", element.dataset.address);
  document.title = element.dataset.title;
  window.htmx?.process(element);
  const article = element.querySelector("article");
  article?.focus({ preventScroll: true });
  if (isOther && article?.getBoundingClientRect().top < 0) article.scrollIntoView(); // a phone scrolls the whole page
  remember();
  document.dispatchEvent(new CustomEvent("case:shown", { detail: element }));
}

function remember() {
  const onPage = [...(isLeft ? [] : [current()]), ...ahead].map(idOf).filter(Boolean);
  desk.dataset.held = held().join(",");
  desk.dataset.kept = onPage.join(","); // without those whose decision is on its way
}

export function notice(words) {
  const box = document.getElementById("notices");
  box.replaceChildren();
  if (!words) return;
  const line = document.createElement("p");
  line.className = "notice";
  line.textContent = words;
  box.append(line);
}

export function say(words) {
  const next = isLeft ? "" : (current()?.dataset.announce ?? "");
  document.getElementById("announcements").textContent = `${words} ${next}`.trim();
}

document.addEventListener("case:lost", (event) => drop(event.detail));
remember();
