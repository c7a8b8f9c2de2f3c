/* Couples each slider with its number: moving one writes the other. Without this script the number alone is there.
   Expects: <input type="range" data-slides="some-id" hidden> and <input type="number" id="some-id"> in one form. */

for (const slider of document.querySelectorAll("[data-slides]")) {
  const number = document.getElementById(slider.dataset.slides);
  slider.hidden = false;
  slider.addEventListener("input", () => {
    number.value = slider.value;
  });
  number.addEventListener("input", () => {
    slider.value = number.value;
  });
}
