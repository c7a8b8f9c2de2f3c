/* A menu closes by Escape, which goes back to its summary, and when the focus or a click goes elsewhere.
   Expects: <details class="menu"> with a <summary>; without this file it opens and closes by its summary alone. */

const opened = () => document.querySelectorAll("details.menu[open]");

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of opened()) {
    const hasFocus = menu.contains(document.activeElement);
    menu.open = false;
    if (hasFocus) menu.querySelector("summary").focus();
  }
});

for (const kind of ["click", "focusin"]) {
  document.addEventListener(kind, (event) => {
    for (const menu of opened()) if (!menu.contains(event.target)) menu.open = false;
  });
}
