/* What went wrong with a request, said in place; the case stays in front and nothing is lost.
   Expects: <div id="failure" role="alert" hidden>. htmx swaps nothing on an error, so the page is as it was. */

const words = {
  401: "Your session has ended. Nothing was lost: sign in again, then press the key once more.",
  403: "This was refused: the page may be older than your session. Reload it, then try again.",
  0: "The desk cannot be reached. Nothing was saved; the case is in front. Try again in a moment.",
};

function tell(status) {
  const box = document.getElementById("failure");
  box.textContent = words[status] ?? "The desk failed to save this. The case is in front: try again.";
  if (status === 401) box.append(" ", signIn());
  box.hidden = false;
}

function signIn() {
  const link = document.createElement("a");
  link.href = "/sign-in/";
  link.target = "_blank";
  link.textContent = "Sign in in a new tab";
  return link;
}

document.addEventListener("htmx:responseError", (event) => tell(event.detail.xhr.status));
document.addEventListener("htmx:sendError", () => tell(0));
document.addEventListener("htmx:timeout", () => tell(0));
document.addEventListener("htmx:afterSwap", () => {
  document.getElementById("failure").hidden = true;
});
document.addEventListener("shift:failed", (event) => tell(event.detail));
document.addEventListener("shift:reached", () => {
  document.getElementById("failure").hidden = true;
});
