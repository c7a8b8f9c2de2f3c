/* Keeps what the filters say now, not what they said when the page came: htmx changes only the rows.
   Expects: <form data-keeps-address> with <input type="hidden" name="query">. */

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-keeps-address]");
  if (form) form.elements.query.value = location.search.slice(1);
});
