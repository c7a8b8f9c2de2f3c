/* Breaks: a suggestion after so many minutes or cases, and a pause that keeps the case and covers the page.
   Expects: #desk[data-break-minutes][data-break-cases], <dialog id="pause"> with [data-pause-left], <template
   id="break-prompt">, #notices, <button data-pauses="url">. Counts are kept for all pages of this browser. */

import { headers } from "./retrying_fetch.js";

const REST_MILLISECONDS = 5 * 60000;
const desk = document.getElementById("desk");
const dialog = document.getElementById("pause");
let until = 0;

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-break-takes]")) document.querySelector("#current-case [data-pauses]")?.click();
  if (event.target.closest("[data-break-later]")) later();
  const button = event.target.closest("[data-pauses]");
  if (button) pause(button.dataset.pauses);
});

async function pause(url) {
  document.getElementById("notices").replaceChildren();
  const answer = await fetch(url, { method: "POST", headers: headers(), signal: AbortSignal.timeout(10_000) }).catch(() => null);
  const found = answer?.ok ? await answer.json().catch(() => null) : null;
  if (!found) return document.dispatchEvent(new CustomEvent("action:failed", { detail: answer?.status ?? 0 }));
  until = performance.now() + found.pause_seconds * 1000;
  document.documentElement.dataset.paused = "";
  const behind = desk.dataset.kept.split(",").slice(1);
  document.dispatchEvent(new CustomEvent("case:lost", { detail: behind }));
  tick();
  dialog.showModal();
}

dialog.addEventListener("close", () => {
  delete document.documentElement.dataset.paused;
  write({ since: Date.now(), cases: 0, last: Date.now() });
  document.dispatchEvent(new CustomEvent("pause:over"));
});

function read() {
  const counted = JSON.parse(localStorage.getItem("spamdesk-break") ?? "null");
  const isRested = !counted || Date.now() - counted.last > REST_MILLISECONDS;
  return isRested ? { since: Date.now(), cases: 0, last: Date.now() } : counted;
}

function write(counted) {
  localStorage.setItem("spamdesk-break", JSON.stringify(counted));
}

function later() {
  document.getElementById("notices").replaceChildren();
  write({ ...read(), asleepUntil: Date.now() + 2 * REST_MILLISECONDS });
}

document.addEventListener("action:begun", () => {
  const counted = { ...read(), last: Date.now() };
  counted.cases += 1;
  write(counted);
  const minutes = (Date.now() - counted.since) / 60000;
  const isOver = (value, limit) => Number(limit) > 0 && value >= Number(limit);
  const isDue = isOver(minutes, desk.dataset.breakMinutes) || isOver(counted.cases, desk.dataset.breakCases);
  if (isDue && Date.now() > (counted.asleepUntil ?? 0)) suggest(counted.cases, Math.round(minutes));
});

function suggest(cases, minutes) {
  const prompt = document.getElementById("break-prompt").content.cloneNode(true);
  const told = prompt.querySelector("[data-break-told]");
  told.textContent = told.dataset.words.replace("{cases}", cases).replace("{minutes}", minutes);
  document.getElementById("notices").replaceChildren(prompt);
}

function tick() {
  const left = Math.max(0, Math.ceil((until - performance.now()) / 1000));
  dialog.querySelector("[data-pause-left]").textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

setInterval(tick, 1000);
