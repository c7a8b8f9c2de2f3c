/* Sends a form that takes long once: its button is dimmed, and words beside it say what is under way.
   Expects: <form data-once="What is under way."> without another form inside. */

document.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-once]");
  if (!form || event.defaultPrevented) return;
  if (form.hasAttribute("data-sent")) {
    event.preventDefault();
    return;
  }
  form.setAttribute("data-sent", "");
  const said = document.createElement("p");
  said.className = "soft";
  said.setAttribute("role", "status");
  form.append(said);
  setTimeout(() => {
    // Only now: a button that is disabled while the form is read would not be sent.
    event.submitter?.setAttribute("disabled", "");
    said.textContent = form.dataset.once;
  });
});

/* Back to a page as the browser kept it: what it says may be over. */
addEventListener("pageshow", (event) => event.persisted && location.reload());
