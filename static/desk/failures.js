/* What went wrong with a request, said in place; the case stays in front and nothing is lost.
   Expects: <div id="failure" role="alert" data-session data-refused data-away data-failed data-sign-in="words" hidden>.
   htmx swaps nothing on an error, so the page is as it was. */

const box = document.getElementById("failure");
const words = { 0: box.dataset.away, 401: box.dataset.session, 403: box.dataset.refused };

function tell(status) {
  box.textContent = words[status] ?? box.dataset.failed;
  if (status === 401) box.append(" ", signIn());
  box.hidden = false;
}

function signIn() {
  const link = document.createElement("a");
  link.href = "/sign-in/";
  link.target = "_blank";
  link.textContent = box.dataset.signIn;
  return link;
}

function clear() {
  box.hidden = true;
}

/* What a page loads or polls by itself is no act of a person: "try again" would lead to a second decision. */
const isAsked = (event) => !event.detail.elt.matches("[hx-trigger^=load], [hx-trigger^=every], [data-around]");

document.addEventListener("htmx:responseError", (event) => isAsked(event) && tell(event.detail.xhr.status));
document.addEventListener("htmx:sendError", (event) => isAsked(event) && tell(0));
document.addEventListener("htmx:timeout", (event) => isAsked(event) && tell(0));
document.addEventListener("htmx:afterSwap", (event) => isAsked(event) && clear());
document.addEventListener("action:failed", (event) => tell(event.detail));
document.addEventListener("action:answered", clear);
