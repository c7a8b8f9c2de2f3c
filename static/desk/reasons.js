/* Reasons of one digit. A second press takes the reason back, one that needs a note opens its field, and a verdict
   that the reason does not belong to drops it. Expects: <label data-key="1"><input type="radio" name="reason"
   data-verdict data-needs-note form="decide-7">, <input name="note">, <form data-decides>. */

let before = null;

document.addEventListener("pointerdown", remember, true);
document.addEventListener("keydown", remember, true);

function remember() {
  before = document.querySelector("#front input[name=reason]:checked");
}

document.addEventListener("click", (event) => {
  if (!event.target.matches?.("#front input[name=reason]")) return;
  if (event.target === before) event.target.checked = false;
  before = null;
  const note = document.querySelector("#front .reasons__note input");
  if (event.target.checked && "needsNote" in event.target.dataset) note.focus();
  else document.querySelector("#front article")?.focus({ preventScroll: true });
});

document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".reasons__note input")) return;
  if (event.key === "Escape") document.querySelector("#front article")?.focus();
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  const form = event.target.form;
  const chosen = document.querySelector("#front input[name=reason]:checked");
  if (chosen) form.requestSubmit(form.querySelector(`button[value=${chosen.dataset.verdict}]`));
});

document.addEventListener(
  "submit",
  (event) => {
    if (!event.target.matches("form[data-decides]")) return;
    const chosen = document.querySelector("#front input[name=reason]:checked");
    if (!chosen) return;
    if (chosen.dataset.verdict !== event.submitter?.value) chosen.checked = false;
    const note = document.querySelector("#front .reasons__note input");
    if (!chosen.checked || !("needsNote" in chosen.dataset) || note.value.trim()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    note.focus();
  },
  true,
);
