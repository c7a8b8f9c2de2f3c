/* Acts on the case in front. The next case is shown at once and the server hears of the act meanwhile, one act
   after the other; an act that fails brings its case back in front, with the reason, and nothing is lost.
   Expects: <form data-act="leave|next|claim|undo">, <button data-done="what is said">, #last, <template id="undo-pending">,
   #desk[data-ahead][data-retrying]. Tells others by the events action:begun, action:retrying, action:answered, action:failed and,
   when nothing is on its way any more, action:idle. */

import * as stack from "./case_stack.js";
import { newId, pageId, retryingFetch } from "./retrying_fetch.js";
import { claimedSince, claimFirst, wasReloaded } from "./reloaded.js";

const desk = document.getElementById("desk");
const last = document.getElementById("last");
const working = document.getElementById("working"); // the filter that the work is narrowed to
const unanswered = []; // acts, the oldest first
let isSending = false;
let wantsUndo = false;
let lastBefore = null; // what stood in #last before the acts that are on their way

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-act]");
  if (!form || event.defaultPrevented) return;
  event.preventDefault();
  begin(form, event.submitter);
});

function begin(form, submitter) {
  const kind = form.dataset.act;
  if (form.hasAttribute("data-busy") || (kind === "leave" && stack.isWaiting())) return;
  if (kind === "next" && stack.goOn()) return refill();
  if (kind === "undo" && unanswered.some((act) => act.left)) {
    wantsUndo = true; // of the decision that is on its way, not of the one whose countdown still shows
    return;
  }
  const body = new FormData(form, submitter);
  body.delete("csrfmiddlewaretoken");
  const act = { url: form.action, body, form, kind, done: submitter?.dataset.done ?? "" };
  stack.notice("");
  if (kind === "leave") {
    body.set("idempotency_key", keyOf(stack.current(), body));
    form.closest("dialog")?.close();
    act.left = stack.leave();
    showPending();
    stack.say(act.done);
    document.dispatchEvent(new CustomEvent("action:begun"));
  } else {
    form.setAttribute("data-busy", "");
  }
  queue(act);
}

function queue(act) {
  unanswered.push(act);
  send();
}

/* The same choice on the same case is the same request, however often it is sent. */
function keyOf(element, body) {
  const choice = JSON.stringify([...body]);
  element.requests ??= {};
  element.requests[choice] ??= newId();
  return element.requests[choice];
}

async function send() {
  if (isSending) return;
  isSending = true;
  while (unanswered.length) {
    const act = unanswered[0];
    act.body.set("known", stack.held().join(","));
    act.body.set("page", pageId());
    const refused = act.left ? await claimFirst(act.left) : null;
    const answer = refused ?? (await retryingFetch(act.url, act.body, { isAway: () => away(act) }));
    if (answer.parts) settle(unanswered.shift(), answer);
    else fail(unanswered.splice(0), answer.status);
  }
  isSending = false;
  document.dispatchEvent(new CustomEvent("action:idle"));
}

function away(act) {
  stack.say(desk.dataset.retrying);
  if (act.kind !== "ahead") document.dispatchEvent(new CustomEvent("action:retrying"));
}

function settle(act, { status, parts }) {
  const isNextShown = stack.isWaiting(); // else it was announced when the key was pressed
  act.form?.removeAttribute("data-busy");
  if (act.left) stack.settled(act.left);
  stack.take(parts);
  working.replaceChildren(parts.querySelector("template[data-part=working]").content);
  const told = parts.querySelector("[data-part=notice]").textContent.trim();
  if (told) stack.notice(told); // else what stands there stays: it may be the suggestion of a break
  if (!unanswered.some((other) => other.left)) renewLast(parts);
  const said = parts.querySelector("[data-part=said]").textContent.trim();
  if (said !== (act.done ?? "") || told || isNextShown) stack.say(`${said} ${told}`);
  if (status < 400 && act.kind !== "ahead") refill();
  if (status < 400) document.dispatchEvent(new CustomEvent("action:answered"));
}

/* Undo can be pressed before the answer; it then waits for it. The one before must not be taken for it. */
function showPending() {
  lastBefore ??= [...last.childNodes];
  last.replaceChildren(document.getElementById("undo-pending").content.cloneNode(true));
}

function renewLast(parts) {
  last.replaceChildren(parts.querySelector("template[data-part=last]").content);
  lastBefore = null;
  if (!wantsUndo) return;
  wantsUndo = false;
  last.querySelector("form[data-act=undo]")?.requestSubmit();
}

/* After a claim the answer holds one case only: ask for those behind it, once it is on the screen. */
function refill() {
  const isAsked = unanswered.some((act) => act.kind === "ahead");
  const isMine = "claim" in (stack.current()?.dataset ?? {});
  if (isAsked || !isMine || stack.held().length > 3) return;
  queue({ url: desk.dataset.ahead, body: new FormData(), kind: "ahead" });
}

function fail(acts, status) {
  wantsUndo = false;
  for (const act of acts) act.form?.removeAttribute("data-busy");
  stack.putBack(acts.map((act) => act.left).filter(Boolean));
  if (lastBefore) last.replaceChildren(...lastBefore);
  lastBefore = null;
  if (acts.every((act) => act.kind === "ahead")) return;
  document.dispatchEvent(new CustomEvent("action:failed", { detail: status }));
}

addEventListener("beforeunload", (event) => {
  if (unanswered.some((act) => act.left)) event.preventDefault();
});

/* A page that is shown again has given its case back on leaving: browsers tell so only after the new page was asked for. */
function claimAgain() {
  claimedSince();
  const claim = stack.current()?.dataset.claim;
  const isActedOn = stack.isWaiting() || unanswered.length > 0; // then the answer will say what holds
  if (claim && !isActedOn) queue({ url: claim, body: new FormData(), kind: "claim" });
}

addEventListener("pageshow", (event) => event.persisted && claimAgain());
document.addEventListener("pause:over", claimAgain);
if (wasReloaded) setTimeout(claimAgain, 250);
else refill();
