/* Tells that decisions are not saved yet: at once while the desk cannot be reached, after a second where it is slow.
   Expects: <p id="unsaved" hidden>, and the events of actions.js. What is heard of it is in #announcements. */

const SLOW_MILLISECONDS = 1000;
const shown = document.getElementById("unsaved");
let timer = 0;

function show() {
  shown.hidden = false;
}

function hide() {
  clearTimeout(timer);
  timer = 0;
  shown.hidden = true;
}

function wait() {
  timer ||= setTimeout(show, SLOW_MILLISECONDS);
}

document.addEventListener("action:begun", wait);
document.addEventListener("action:retrying", show);
document.addEventListener("action:answered", () => {
  hide();
  wait(); // for what is still on its way; without anything, action:idle comes next
});
document.addEventListener("action:idle", hide);
