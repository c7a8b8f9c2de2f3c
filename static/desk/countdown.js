/* A visible countdown. Expects: <form data-countdown="9" data-countdown-over="What is so when it ends.">
   with <span data-countdown-left>. At the end the words replace the rest and the key no longer works. */

const ends = new WeakMap();

function tick() {
  for (const element of document.querySelectorAll("[data-countdown]")) {
    if (!ends.has(element)) ends.set(element, performance.now() + Number(element.dataset.countdown) * 1000);
    const left = Math.ceil((ends.get(element) - performance.now()) / 1000);
    if (left > 0) {
      const shown = element.querySelector("[data-countdown-left]");
      if (shown) shown.textContent = `${left} s`;
    } else {
      finish(element);
    }
  }
}

function finish(element) {
  element.classList.add("undo--over");
  element.querySelector("button")?.setAttribute("disabled", "");
  const over = document.createElement("span");
  over.className = "soft";
  over.textContent = ` · ${element.dataset.countdownOver}`;
  element.append(over);
  element.removeAttribute("data-countdown");
}

setInterval(tick, 250);
