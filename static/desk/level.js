/* Two levels of a case: what a decision needs, or everything known of it. The page has both; a class of #desk hides
   the rest, also in cases that wait behind the one in front. Expects: <button data-level="url that remembers it"
   data-more="what is said" data-less aria-pressed> in #current-case in
   #desk. Others listen to the event level:changed. */

import { retryingFetch } from "./retrying_fetch.js";

const level = document.getElementById("desk").classList;
let saved = Promise.resolve(); // the choices before, in their order

/* Where the case scrolls as a whole its panes are no places to stop at. */
function tell() {
  const isBrief = level.contains("is-brief");
  document.querySelector("#current-case [data-level]")?.setAttribute("aria-pressed", String(!isBrief));
  for (const pane of document.querySelectorAll("#current-case .pane")) pane.tabIndex = isBrief ? -1 : 0;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-level]");
  if (!button) return;
  const isDetailed = !level.toggle("is-brief");
  tell();
  document.getElementById("announcements").textContent = isDetailed ? button.dataset.more : button.dataset.less;
  document.dispatchEvent(new CustomEvent("level:changed"));
  const choice = new URLSearchParams({ is_detailed: isDetailed });
  saved = saved.then(() => retryingFetch(button.dataset.level, choice));
});

document.addEventListener("case:shown", tell);
tell();
