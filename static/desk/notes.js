/* A note on the case in front: its key opens the field, Escape puts it away, and reading goes on afterwards.
   Expects: <details data-note> with an <input> in the article of the case. */

const isNote = (element) => element.matches?.("details[data-note]");

/* At once, not on the event toggle, which comes later: the first letters of a note would be keys that decide. */
document.addEventListener("click", (event) => {
  const note = event.target.closest("summary")?.parentElement;
  if (!note || !isNote(note)) return;
  event.preventDefault();
  note.open = !note.open;
  if (note.open) note.querySelector("input:not([type=hidden])").focus();
});

document.addEventListener("keydown", (event) => {
  const opened = event.target.closest?.("details[data-note][open]");
  if (event.key !== "Escape" || !opened) return;
  opened.open = false;
  opened.closest("article")?.focus({ preventScroll: true });
});

/* The list of names is fetched by who writes a note, not by every page of a shift. */
document.addEventListener("focusin", (event) => {
  if (event.target.matches?.("input[data-names]")) import("./mention_names.js");
});

document.addEventListener("htmx:afterSwap", (event) => {
  if (event.target.matches?.(".case-notes")) document.querySelector("#current-case article")?.focus({ preventScroll: true });
});
