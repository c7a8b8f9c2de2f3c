/* A note on the case in front: its key opens the field, Escape puts it away, and reading goes on afterwards.
   Expects: <details data-note> with an <input> in the article of the case. */

const isNote = (element) => element.matches?.("details[data-note]");

document.addEventListener(
  "toggle",
  (event) => {
    if (isNote(event.target) && event.target.open) event.target.querySelector("input:not([type=hidden])").focus();
  },
  true,
);

document.addEventListener("keydown", (event) => {
  const opened = event.target.closest?.("details[data-note][open]");
  if (event.key !== "Escape" || !opened) return;
  opened.open = false;
  opened.closest("article")?.focus({ preventScroll: true });
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.matches?.(".case-notes")) document.querySelector("#front article")?.focus({ preventScroll: true });
});
