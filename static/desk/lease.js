/* The leases on the cases of this page: a countdown, a heartbeat while the page is looked at, who else is there, and
   hand-back on leaving. Expects: #desk[data-beat][data-lease-seconds][data-hand-back][data-held][data-kept], #current-case with [data-case] and either
   [data-claim][data-lease-seconds] or [data-watched="who holds it"]; [data-lease-left], [data-presence]. */

import { headers, isFetching, pageId, renewPageId, renewToken } from "./retrying_fetch.js";

const desk = document.getElementById("desk");
// Often enough to survive two lost beats, and for others to be seen coming within eight seconds.
const beatMilliseconds = Math.min(6000, (Number(desk.dataset.leaseSeconds) * 1000) / 3);
const ends = new Map(); // case id to when its lease ends, on this page's clock
let nextBeat = 0;

const current = () => document.querySelector("#current-case [data-case]");
const heldIds = () => (desk.dataset.held ?? "").split(",").filter(Boolean);

function adopt(element) {
  if (!element?.dataset.claim || ends.get(element.dataset.case) > performance.now()) return;
  ends.set(element.dataset.case, performance.now() + Number(element.dataset.leaseSeconds) * 1000);
}

async function beat() {
  nextBeat = performance.now() + beatMilliseconds;
  const element = current();
  const asked = heldIds();
  const body = new FormData();
  body.set("held", asked.join(","));
  body.set("current", element?.dataset.case ?? "");
  const sentAt = performance.now();
  const found = await heartbeat(body);
  if (!found) return; // the next beat tries again; the countdown tells the truth meanwhile
  for (const id of found.held) ends.set(String(id), sentAt + found.lease_seconds * 1000);
  const lost = asked.filter((id) => !found.held.includes(Number(id)) && id !== element?.dataset.case);
  if (lost.length) document.dispatchEvent(new CustomEvent("case:lost", { detail: lost }));
  if (element === current()) tell(element, found);
}

/* A page that is left, or a server that is away, ends any of these early. */
async function heartbeat(body) {
  try {
    const answer = await fetch(desk.dataset.beat, { method: "POST", body, headers: headers(), signal: AbortSignal.timeout(beatMilliseconds) });
    if (answer.status === 403) await renewToken();
    return answer.ok ? await answer.json() : null;
  } catch {
    return null;
  }
}

function tell(element, found) {
  if (!element) return;
  if ("watched" in element.dataset && (found.holder !== element.dataset.watched || !found.is_open)) location.reload();
  const shown = element.querySelector("[data-presence]");
  if (shown) shown.textContent = presence(found.readers);
}

function presence(readers) {
  if (!readers.length) return "";
  return `${readers.join(", ")} ${readers.length > 1 ? desk.dataset.severalWatch : desk.dataset.oneWatches}`;
}

function tick() {
  const element = current();
  const shown = element?.querySelector("[data-lease-left]");
  if (shown && ends.has(element.dataset.case)) {
    const left = Math.ceil((ends.get(element.dataset.case) - performance.now()) / 1000);
    shown.textContent = left > 0 ? `${left} s` : shown.dataset.leaseOver;
  }
  const isLooked = document.visibilityState === "visible" && !("paused" in document.documentElement.dataset);
  if (element && isLooked && performance.now() > nextBeat) beat();
}

addEventListener("pagehide", () => {
  if (!desk.dataset.held && !isFetching()) return;
  const kept = (desk.dataset.kept ?? "").split(",");
  const form = new FormData();
  form.set("csrfmiddlewaretoken", headers()["X-CSRFToken"]);
  form.set("page", pageId());
  form.set("held", kept.join(","));
  form.set("leaving", heldIds().filter((id) => !kept.includes(id)).join(",")); // their decisions need the claim
  navigator.sendBeacon(desk.dataset.handBack, form);
  renewPageId(); // a page that is shown again is another one to the server
});
document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && (nextBeat = 0));
document.addEventListener("case:shown", (event) => adopt(event.detail));
setInterval(tick, 500);
adopt(current());
