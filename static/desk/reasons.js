/* Reasons of one digit. A second press takes the reason back, one that needs a note opens its field. A verdict that
   the reason does not belong to is not sent: the contradiction is told, and the same key once more decides without the
   reason. The reason of the decision before has a second key, the same for all. Expects: <label data-key="1"><input type="radio" name="reason" data-verdict data-contradicts="what to say"
   data-needs-note data-follow-up="what the decision does besides" form="decide-7"><span data-second-key data-key="q"
   hidden></label>, <input name="note">, <form data-decides>, <p data-follow-ups>. */

import { notice } from "./case_stack.js";

let before = null;
let last = ""; // the reason of the decision before, on this page

document.addEventListener("pointerdown", remember, true);
document.addEventListener("keydown", remember, true);

function remember() {
  before = document.querySelector("#current-case input[name=reason]:checked");
}

document.addEventListener("case:shown", (event) => {
  for (const second of event.detail.querySelectorAll("[data-second-key]"))
    second.hidden = second.closest("label").control.value !== last;
});

document.addEventListener("click", (event) => {
  if (!event.target.matches?.("#current-case input[name=reason]")) return;
  if (event.target === before) event.target.checked = false;
  forget(event.target.form);
  before = null;
  tellFollowUp(event.target);
  const note = document.querySelector("#current-case .reasons__note input");
  if (event.target.checked && "needsNote" in event.target.dataset) note.focus();
  else document.querySelector("#current-case article")?.focus({ preventScroll: true });
});

document.addEventListener("keydown", (event) => {
  if (!event.target.matches?.(".reasons__note input")) return;
  if (event.key === "Escape") document.querySelector("#current-case article")?.focus();
  if (event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  const form = event.target.form;
  const chosen = document.querySelector("#current-case input[name=reason]:checked");
  if (chosen) form.requestSubmit(form.querySelector(`button[value=${chosen.dataset.verdict}]`));
});

document.addEventListener(
  "submit",
  (event) => {
    if (!event.target.matches("form[data-decides]")) return;
    const chosen = document.querySelector("#current-case input[name=reason]:checked");
    if (!chosen) return;
    if (chosen.dataset.verdict !== event.submitter?.value) {
      if (!contradicts(event.target, chosen)) chosen.checked = false;
      else return stop(event);
    }
    const note = document.querySelector("#current-case .reasons__note input");
    if (chosen.checked && "needsNote" in chosen.dataset && !note.value.trim()) {
      stop(event);
      note.focus();
    } else if (chosen.checked) last = chosen.value;
  },
  true,
);

/* Say what the verdict with this reason does besides; without a reason what either verdict does. */
function tellFollowUp(reason) {
  const line = document.querySelector("#current-case [data-follow-ups]");
  if (!line) return;
  line.dataset.followUps ||= line.textContent;
  line.textContent = reason.checked ? (reason.dataset.followUp ?? "") : line.dataset.followUps;
}

function forget(form) {
  if (!form.dataset.told) return;
  delete form.dataset.told;
  notice("");
  document.querySelector(".reason--contradicts")?.classList.remove("reason--contradicts");
}

function stop(event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/* Tell that reason and verdict contradict each other, unless it was told of this very reason before. */
function contradicts(form, chosen) {
  if (form.dataset.told === chosen.value) return false;
  form.dataset.told = chosen.value;
  notice(chosen.dataset.contradicts);
  document.getElementById("announcements").textContent = chosen.dataset.contradicts;
  chosen.closest("label").classList.add("reason--contradicts");
  return true;
}
