/* A key whose button the case in front lacks says so. Expects: <p hidden data-lacks="key">what is said</p>. */

import { isCommand } from "./typing.js";
import { current, notice } from "./case_stack.js";

/* On the window: a key that did something was prevented there before. */
addEventListener("keydown", (event) => {
  if (event.repeat || !isCommand(event) || !current()?.dataset.case) return;
  const lacking = document.querySelector(`[data-lacks="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!lacking) return;
  notice(lacking.textContent);
  document.getElementById("announcements").textContent = lacking.textContent;
});
