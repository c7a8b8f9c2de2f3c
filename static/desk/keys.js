/* One key, one button. Expects: <button data-key="s">; the key clicks it.
   Nothing happens while typing, with a modifier, in an open dialog, on key repeat, or with <html data-keys="off">.
   The page loads it last: a key must not act before the script that listens for what its button does. */

import { isTyping } from "./typing.js";

function isVisible(element) {
  return element.checkVisibility();
}

document.addEventListener("keydown", (event) => {
  if (document.documentElement.dataset.keys === "off") return;
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.isComposing || event.defaultPrevented) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const pressed = event.key.toLowerCase();
  const wanted = [...document.querySelectorAll("[data-key]")].find(
    (element) => element.dataset.key === pressed && !element.disabled && isVisible(element),
  );
  if (!wanted) return;
  event.preventDefault();
  wanted.click();
});

document.documentElement.toggleAttribute("data-listens", true);
