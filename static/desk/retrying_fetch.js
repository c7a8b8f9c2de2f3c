/* Reach the server with an act: again after a pause while it is away, with a new token when the session is newer than
   the page. Answers {status, parts}; without parts the act did not happen, or nobody knows whether it did: acts name
   themselves with a key, so that sending one again is safe. Expects: #desk[data-token] and body[hx-headers]. */

const patience = 60_000; // milliseconds; an answer that takes longer is asked for again
const pauses = [300, 700, 1500, 3000, 4000]; // milliseconds: a restart of the server takes seconds
export const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
let page = newId(); // the server gives back what it leases for a page that was left meanwhile
const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export const pageId = () => page;
export const renewPageId = () => (page = newId());
export const headers = () => ({ ...JSON.parse(document.body.getAttribute("hx-headers")), "HX-Request": "true", "Review-Page": "1" });

let onTheWay = 0;
export const isFetching = () => onTheWay > 0;

export async function retryingFetch(url, body, { isAway = () => {} } = {}) {
  onTheWay += 1;
  try {
    return await attempts(url, body, isAway);
  } finally {
    onTheWay -= 1;
  }
}

async function attempts(url, body, isAway) {
  let status = 0;
  let hasNewToken = false;
  for (const pause of [...pauses, 0]) {
    try {
      const answer = await fetch(url, { method: "POST", body, headers: headers(), keepalive: true, redirect: "error", signal: AbortSignal.timeout(patience) });
      status = answer.status;
      if ([200, 201, 409, 422].includes(status)) return { status, parts: parse(await answer.text()) };
      if (status === 403 && !hasNewToken) {
        status = await renewToken(); // 401: the session is over, and its token with it
        hasNewToken = status === 200;
        if (hasNewToken) continue;
      }
      if (status < 500) return { status };
    } catch {
      status = 0;
    }
    if (pause) {
      isAway();
      await sleep(pause);
    }
  }
  return { status };
}

export async function renewToken() {
  const answer = await fetch(document.getElementById("desk").dataset.token, { headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(patience) });
  if (answer.ok) document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": await answer.text() }));
  return answer.status;
}

function parse(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}
