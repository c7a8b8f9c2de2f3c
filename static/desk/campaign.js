/* Moving along the members of a campaign, and counts that follow a checkbox.
   Expects: <button data-moves="1"> or "-1"; <button data-member> in each member; <input data-filtered> and
   <span data-waiting="5" data-together="17"> in the form of the decision. */

function move(by) {
  const members = [...document.querySelectorAll("[data-member]")];
  const at = members.indexOf(document.activeElement);
  const next = members[at < 0 ? (by > 0 ? 0 : members.length - 1) : at + by];
  if (!next) return;
  next.focus({ preventScroll: true });
  next.closest("li").scrollIntoView({ block: "nearest" });
}

function count() {
  const isAlso = document.querySelector("[data-filtered]")?.checked ?? false;
  for (const shown of document.querySelectorAll("[data-together]")) {
    shown.textContent = Number(isAlso ? shown.dataset.together : shown.dataset.waiting).toLocaleString(document.documentElement.lang);
  }
}

document.addEventListener("click", (event) => {
  const mover = event.target.closest("[data-moves]");
  if (mover) move(Number(mover.dataset.moves));
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-filtered]")) count();
});
count();
