/* Picking cases from a list: x picks the row that has the focus, the box in the head all of them.
   Expects: <input type="checkbox" name="case" form="bulk"> in rows, <input data-picks-all>, the form #bulk with
   [data-picked], data-most, data-too-many and <button data-unpick>. */

import { isCommand } from "./typing.js";

const form = document.getElementById("bulk");
const boxes = () => [...document.querySelectorAll("input[name=case][form=bulk]")];

function tell() {
  const picked = boxes().filter((box) => box.checked).length;
  form.querySelector("[data-picked]").textContent = String(picked);
  const all = document.querySelector("[data-picks-all]");
  if (all) {
    all.checked = picked > 0 && picked === boxes().length;
    all.indeterminate = picked > 0 && picked < boxes().length;
  }
  const isTooMany = picked > Number(form.dataset.most);
  form.querySelector("[data-picked]").title = isTooMany ? form.dataset.tooMany : "";
}

if (form) {
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-picks-all]")) for (const box of boxes()) box.checked = event.target.checked;
    if (event.target.matches("[data-picks-all], input[name=case]")) tell();
  });
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    for (const box of boxes()) box.checked = false;
    tell();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "x" || event.repeat || !isCommand(event)) return;
    const box = document.activeElement.closest("tr")?.querySelector("input[name=case]");
    if (!box) return;
    event.preventDefault();
    box.click();
  });
  tell();
}
