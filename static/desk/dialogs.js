/* Dialogs open by a button and close by another, by Escape, or by a click beside them; the palette by Ctrl+K (Cmd+K).
   Expects: <button data-opens="some-id">, <dialog id="some-id"> with <button data-closes>. */

const palette = document.getElementById("palette");

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  const closer = event.target.closest("[data-closes]");
  if (closer) closer.closest("dialog")?.close();
  if (event.target.matches("dialog")) event.target.close();
});

document.addEventListener("keydown", async (event) => {
  if (!palette || event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  if (document.documentElement.dataset.keys === "off" || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  palette.querySelector("input").value = "";
  palette.showModal(); // at once, while its script comes: no letter typed now may be a command
  const early = []; // keys that the script listens for; letters are in the field by themselves
  const note = ({ key }) => ["Enter", "ArrowDown", "ArrowUp"].includes(key) && early.push(key);
  palette.addEventListener("keydown", note);
  const { fill } = await import("./palette.js");
  palette.removeEventListener("keydown", note);
  if (!palette.open) return;
  fill();
  for (const key of early) palette.querySelector("input").dispatchEvent(new KeyboardEvent("keydown", { key }));
});
