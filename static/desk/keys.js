/* One key, one button. Expects: <button data-key="s">; the key clicks it, also where only its level is not shown.
   Nothing happens while typing, with a modifier, in an open dialog, on key repeat, with <html data-keys="off">, or
   once a key has followed a link: what is typed next is meant for the page to come.
   The page loads it last: a key must not act before the script that listens for what its button does. */

import { isCommand } from "./typing.js";

const patience = 5000; // milliseconds until a page that did not come is no longer waited for
let isLeaving = false;

function follow(link) {
  const isFollowed = link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  if (!isFollowed || link.target === "_blank") return;
  isLeaving = true;
  setTimeout(() => (isLeaving = false), patience);
}

function isVisible(element) {
  return element.checkVisibility() || element.closest(".is-brief .only-in-detail") !== null;
}

document.addEventListener("keydown", (event) => {
  if (isLeaving || event.repeat || !isCommand(event)) return;
  const pressed = event.key.toLowerCase();
  const wanted = [...document.querySelectorAll("[data-key]")].find(
    (element) => element.dataset.key === pressed && !element.disabled && isVisible(element),
  );
  if (!wanted) return;
  event.preventDefault();
  if (wanted.matches("a[href]")) follow(wanted);
  else wanted.click();
});

addEventListener("pageshow", () => (isLeaving = false)); // back from the page that the link led to

document.documentElement.toggleAttribute("data-listens", true);
