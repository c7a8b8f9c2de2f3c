/* Where keys are text and not commands. */

function isTyping(target) {
  return target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]") !== null;
}

/* Tells whether a key press is a command: not while typing, with a modifier, in an open dialog, or with
   <html data-keys="off">. */
export function isCommand(event) {
  if (document.documentElement.dataset.keys === "off" || event.defaultPrevented || event.isComposing) return false;
  if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return false;
  return !document.querySelector("dialog[open]");
}
