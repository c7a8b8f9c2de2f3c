/* A page that was reloaded gave its case back when it was left, perhaps after the new one was made. A key pressed
   before the new page has claimed the case again must not be lost: its claim goes first, then the decision.
   Expects: the case that was acted on, with [data-claim]. */

import { retryingFetch } from "./retrying_fetch.js";

export const wasReloaded = performance.getEntriesByType("navigation")[0]?.type !== "navigate";
let mustClaim = wasReloaded;

export const claimedSince = () => (mustClaim = false);

/* Claim a case that is about to be decided; answers what the server said only if it refused. */
export async function claimFirst(element) {
  if (!mustClaim) return null;
  mustClaim = false;
  const answer = await retryingFetch(element.dataset.claim, new FormData());
  return answer.status === 200 ? null : answer;
}
