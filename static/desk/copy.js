/* Copies what stands in an element. Expects: <button data-copies="some-id" data-copied="Copied" hidden> and an
   element with that id. The button is shown only where the browser can copy; without a script the text is selected by hand. */

if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copies]")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent.trim());
  const words = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = words; }, 2000);
});
