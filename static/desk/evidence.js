/* Looking closer at the case in front: show the post, then its pictures, then blur both; open the context over time.
   Expects: <button data-reveals> in an <article class="case--blurred">, <input type="checkbox" data-shows-pictures>,
   <button data-opens-context> and <section data-context="url" hidden>; the section is asked for once. <button
   data-next-picture> goes from one <li class="picture" tabindex="-1"> to the next, and then to the first. */

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-reveals]")) reveal(event.target.closest("article"));
  if (event.target.closest("[data-next-picture]")) goOn([...document.querySelectorAll("#current-case .picture")]);
  const opener = event.target.closest("[data-opens-context]");
  if (opener) toggle(opener, opener.closest("article").querySelector("[data-context]"));
});

function reveal(article) {
  const pictures = article.querySelector("[data-shows-pictures]");
  const isNext = !article.classList.contains("case--blurred") && pictures && !pictures.checked;
  if (pictures) pictures.checked = Boolean(isNext);
  if (!isNext) article.classList.toggle("case--blurred");
}

function goOn(pictures) {
  const next = pictures[(pictures.indexOf(document.activeElement) + 1) % pictures.length];
  next.closest("details")?.setAttribute("open", "");
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

/* Whatever comes in front, also by undo, comes with its pictures blurred. */
document.addEventListener("case:shown", (event) => {
  for (const box of event.detail.querySelectorAll("[data-shows-pictures]")) box.checked = false;
});

function toggle(opener, section) {
  section.hidden = !section.hidden;
  opener.setAttribute("aria-expanded", String(!section.hidden));
  if (section.hidden || section.childElementCount) return;
  window.htmx.ajax("GET", section.dataset.context, { target: section, swap: "innerHTML" });
}
