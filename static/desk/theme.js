/* Light or dark by one button, kept in a cookie so that the server paints the right one first.
   Expects: <button data-theme-toggle>. Without a choice the system's own setting holds. */

const root = document.documentElement;
const year = 365 * 24 * 3600;

function current() {
  if (root.dataset.theme) return root.dataset.theme;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-theme-toggle]")) return;
  const next = current() === "dark" ? "light" : "dark";
  root.dataset.theme = next;
  document.cookie = `theme=${next}; path=/; max-age=${year}; samesite=lax`;
});
