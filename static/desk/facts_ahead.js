/* What became known since scoring is asked for while a case waits behind the one in front: nothing moves then when it
   is shown. Once in front it is asked for again by itself, since the decisions of a moment ago may have changed it.
   Expects: <div data-now="url"> in a case, and the event case:ahead with the case. */

const patience = 10_000; // milliseconds

document.addEventListener("case:ahead", async ({ detail: element }) => {
  const place = element.querySelector("[data-now]");
  if (!place) return;
  const html = await ask(place.dataset.now);
  if (!place.isConnected) place.replaceChildren(...html.body.querySelectorAll(".facts-now > *"));
});

/* What did not come is asked for in front, and failed acts tell that the server is away. */
async function ask(url) {
  const parser = new DOMParser();
  try {
    const answer = await fetch(url, { headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(patience) });
    return parser.parseFromString(answer.ok ? await answer.text() : "", "text/html");
  } catch {
    return parser.parseFromString("", "text/html");
  }
}
