/* Looking closer at the case in front: blur or show the post, open the context over time.
   Expects: <button data-reveals> in an <article class="case--blurred">, <button data-opens-context> and
   <section data-context="url" hidden>; the section is asked for once. */

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-reveals]")) event.target.closest("article").classList.toggle("case--blurred");
  const opener = event.target.closest("[data-opens-context]");
  if (opener) toggle(opener, opener.closest("article").querySelector("[data-context]"));
});

function toggle(opener, section) {
  section.hidden = !section.hidden;
  opener.setAttribute("aria-expanded", String(!section.hidden));
  if (section.hidden || section.childElementCount) return;
  window.htmx.ajax("GET", section.dataset.context, { target: section, swap: "innerHTML" });
}
