/* Lists by keyboard: j and k go down and up the rows, Enter opens one, as links do; the search key goes to the field.
   Expects: <table class="table"> or <ul data-rows> whose rows hold a link; the first with class table__link, else the
   first at all. <a data-search href="…#search"> in the navigation, <input type="search" name="q"> on search pages. */

import { isCommand } from "./typing.js";

const field = () => document.querySelector("input[type=search][name=q]");

function rows() {
  const found = document.querySelectorAll("#main .table > tbody > tr, #main [data-rows] > li");
  return [...found].map((row) => row.querySelector(".table__link") ?? row.querySelector("a")).filter(Boolean);
}

function go(step) {
  const links = rows();
  if (!links.length) return false;
  const here = links.findIndex((link) => link.closest("tr, li").contains(document.activeElement));
  const next = here < 0 ? (step > 0 ? 0 : links.length - 1) : here + step;
  const wanted = links[next] ?? document.querySelector(step > 0 ? "#main a[rel=next]" : "#main a[rel=prev]");
  wanted?.focus();
  wanted?.closest("tr, li")?.scrollIntoView({ block: "nearest" });
  return Boolean(wanted);
}

document.addEventListener("keydown", (event) => {
  if (!isCommand(event) || document.body.classList.contains("is-desk")) return;
  const step = { j: 1, k: -1 }[event.key.toLowerCase()];
  if (step && go(step)) event.preventDefault();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("a[data-search]") || !field()) return;
  event.preventDefault();
  field().select();
});

if (location.hash === "#search") field()?.select();
