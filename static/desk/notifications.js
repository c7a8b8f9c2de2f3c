/* Notifications outside the page, while its tab is hidden, in a browser where somebody has switched them on.
   Expects: <div id="told"> that htmx fills with <a data-newest="id">. To switch: <label data-outside hidden> with
   <input type="checkbox"> and <span data-refused hidden>. Of several tabs the first that hears of an event tells it. */

const [ON, LAST] = ["notifications", "notified"];
const told = document.getElementById("told");
const choice = document.querySelector("[data-outside]");
const box = choice?.querySelector("input");
const isOn = () => localStorage.getItem(ON) === "on" && window.Notification?.permission === "granted";

function tell() {
  const lines = [...told.querySelectorAll("[data-newest]")];
  const last = Number(localStorage.getItem(LAST));
  localStorage.setItem(LAST, Math.max(last, ...lines.map((line) => Number(line.dataset.newest))));
  if (!document.hidden || !isOn()) return;
  for (const line of lines) if (Number(line.dataset.newest) > last) show(line);
}

function show(line) {
  const shown = new Notification("Spamdesk", { body: line.textContent, tag: `spamdesk-${line.dataset.newest}` });
  shown.addEventListener("click", () => {
    shown.close();
    window.open(line.href);
  });
}

function draw() {
  box.checked = isOn();
  box.disabled = Notification.permission === "denied";
  choice.querySelector("[data-refused]").hidden = !box.disabled;
}

/* One tab at a time: what it tells, the others find told. */
told?.addEventListener("htmx:afterSwap", () => navigator.locks?.request(LAST, tell));

if (choice && "Notification" in window) {
  choice.hidden = false;
  draw();
  box.addEventListener("change", async () => {
    localStorage.setItem(ON, box.checked ? "on" : "off");
    if (box.checked) await Notification.requestPermission();
    draw();
  });
}
