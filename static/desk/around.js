/* What happened around the case in front, open beside it where the window is wide. It is asked for once the case has
   been looked at for a moment, so that a row of quick decisions never waits for it. Expects: <section
   data-around="url"> in #current-case; the width is that of review_wide.css. */

const REST_MILLISECONDS = 250;
const wide = matchMedia("(min-width: 90rem)");
let timer = 0;

function load() {
  clearTimeout(timer);
  const section = document.querySelector("#current-case [data-around]");
  if (!section?.checkVisibility() || section.childElementCount) return;
  timer = setTimeout(() => {
    if (section.isConnected) window.htmx.ajax("GET", section.dataset.around, { target: section, swap: "innerHTML" });
  }, REST_MILLISECONDS);
}

document.addEventListener("case:shown", load);
document.addEventListener("level:changed", load);
wide.addEventListener("change", load);
load();
