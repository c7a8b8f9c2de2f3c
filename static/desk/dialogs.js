/* Dialogs open by a button and close by another, by Escape, or by a click beside them.
   Expects: <button data-opens="some-id">, <dialog id="some-id"> with <button data-closes>. */

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  const closer = event.target.closest("[data-closes]");
  if (closer) closer.closest("dialog")?.close();
  if (event.target.matches("dialog")) event.target.close();
});
