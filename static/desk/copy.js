/* Copies what stands in an element. Expects: <button data-copies="some-id" data-copied="Copied" hidden> and an
   element with that id, with data-raw where it shows something else than its text. The button is shown only where the browser can copy; without a script the text is selected by hand. */

function offer(element) {
  if (!navigator.clipboard) return;
  for (const button of element.querySelectorAll("[data-copies]")) button.hidden = false;
}

document.addEventListener("case:shown", (event) => offer(event.detail)); // cases come without a page
offer(document);

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const element = document.getElementById(button.dataset.copies);
  await navigator.clipboard.writeText(element.dataset.raw ?? element.textContent.trim());
  const words = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = words; }, 2000);
});
