/* Where keys are text and not commands. */

export function isTyping(target) {
  return target.closest("input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable]") !== null;
}
