/* The panel beside the case in front. One key opens it, Escape or the same key closes it, and the focus goes back to
   where it was: the case is not left, so its lease goes on. Expects: <a data-opens-beside href="url">, <section
   class="beside" data-beside tabindex="-1" hidden> in [data-case], and [data-closes-beside] inside. */

let before = null; // what had the focus when the panel was opened
let shown = ""; // the address of what the panel shows

const open = () => document.querySelector("#current-case [data-beside]:not([hidden])");

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-opens-beside]");
  if (link && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    const panel = link.closest("[data-case]")?.querySelector("[data-beside]");
    if (!panel) return; // the panel is a page of its own
    event.preventDefault();
    if (!panel.hidden && shown === link.href) close(panel);
    else show(panel, link.href);
  }
  const panel = open();
  if (panel && event.target.closest("[data-closes-beside]")) close(panel);
});

document.addEventListener("keydown", (event) => {
  const panel = open();
  if (event.key !== "Escape" || !panel || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  // What is being typed is not thrown away by the first press.
  if (panel.contains(document.activeElement) && document.activeElement.matches("input, select")) panel.focus();
  else close(panel);
});

async function show(panel, url) {
  if (panel.hidden) before = document.activeElement;
  panel.hidden = false;
  shown = url;
  panel.focus({ preventScroll: true });
  panel.setAttribute("aria-busy", "true");
  await window.htmx.ajax("GET", url, { target: panel, swap: "innerHTML" });
  panel.removeAttribute("aria-busy");
}

function close(panel) {
  panel.hidden = true;
  panel.replaceChildren();
  shown = "";
  const back = before?.isConnected && !panel.contains(before) && before !== document.body ? before : panel.closest("article");
  back?.focus({ preventScroll: true });
}

document.addEventListener("htmx:afterSwap", (event) => {
  const panel = event.target.closest?.("[data-beside]");
  if (!panel) return;
  // A link that led away in this window would give the case back.
  for (const link of panel.querySelectorAll("a[href]:not([data-opens-beside])")) {
    link.target = "_blank";
    link.rel = "noopener";
  }
  panel.scrollTop = 0;
  if (!panel.querySelector("[autofocus]")) panel.focus({ preventScroll: true });
  if (panel.getBoundingClientRect().top < 0) panel.scrollIntoView({ block: "start" });
});

/* A case that comes back, by undo, comes without the panel that stood beside it. */
document.addEventListener("case:shown", (event) => {
  const panel = event.detail.querySelector?.("[data-beside]");
  if (panel && !panel.hidden) close(panel);
});
