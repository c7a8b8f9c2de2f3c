/* The lease on the case in front: a countdown, a heartbeat while the page is looked at, hand-back on leaving.
   Expects: <article data-claim="url" data-renew="url" data-hand-back="url" data-lease-seconds="120" data-case="7"> and
   <span data-lease-left>. Browsers say "leaving" on a reload too, and only after the new page was asked for: so a page
   that is shown again claims its case again. */

let claim = null;
let leaseEnd = 0;
let renewAt = 0;

function token() {
  return JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
}

function adopt() {
  const element = document.querySelector("[data-claim]");
  if (element === claim) return;
  claim = element;
  if (!claim) return;
  extend(Number(claim.dataset.leaseSeconds));
}

function extend(seconds) {
  leaseEnd = performance.now() + seconds * 1000;
  renewAt = performance.now() + (seconds * 1000) / 3;
}

async function renew() {
  const renewed = claim;
  renewAt = performance.now() + 15000;
  try {
    const answer = await fetch(renewed.dataset.renew, { method: "POST", headers: { "X-CSRFToken": token() } });
    if (answer.ok && renewed === claim) extend(Number(answer.headers.get("Lease-Seconds")));
  } catch {
    // The next beat tries again; the countdown tells the truth meanwhile.
  }
}

function beat() {
  adopt();
  if (!claim) return;
  const left = Math.ceil((leaseEnd - performance.now()) / 1000);
  const shown = document.querySelector("[data-lease-left]");
  if (shown) shown.textContent = left > 0 ? `${left} s` : "no longer: the lease ran out";
  if (document.visibilityState === "visible" && performance.now() > renewAt) renew();
}

addEventListener("pagehide", () => {
  if (!claim) return;
  const form = new FormData();
  form.set("csrfmiddlewaretoken", token());
  navigator.sendBeacon(claim.dataset.handBack, form);
});

async function claimAgain() {
  if (!claim) return;
  const headers = { "X-CSRFToken": token(), "HX-Request": "true" };
  const answer = await fetch(claim.dataset.claim, { method: "POST", headers });
  const isStillHere = answer.headers.get("HX-Push-Url") === location.pathname;
  if (!isStillHere) location.reload();
}

addEventListener("pageshow", (event) => {
  if (event.persisted) claimAgain();
});

setInterval(beat, 500);
adopt();
if (performance.getEntriesByType("navigation")[0]?.type !== "navigate") setTimeout(claimAgain, 250);
