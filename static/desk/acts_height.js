/* How high the bar of decisions is: on a phone the undo stands right above it. Expects: #desk, #current-case with .acts;
   sets --acts-block-size for the styles. */

const desk = document.getElementById("desk");
const watched = new ResizeObserver(([entry]) => tell(entry.target));
let told = 0;

function tell(acts) {
  if (acts.offsetHeight === told) return;
  told = acts.offsetHeight;
  desk.style.setProperty("--acts-block-size", `${told}px`);
}

function watch() {
  watched.disconnect();
  const acts = document.querySelector("#current-case .acts");
  if (acts) watched.observe(acts);
}

document.addEventListener("case:shown", watch);
watch();
