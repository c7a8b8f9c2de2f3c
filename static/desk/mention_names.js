/* Names after an @ in a note: up and down choose one, Enter or Tab takes it, Escape puts the list away and nothing
   else. Expects: <input data-names="address of the names" data-names-label="what the list holds">; the field is a
   combobox only while its list is open. */

const WANTED = /(?<![\p{L}\p{N}_@.+-])@([\p{L}\p{N}_@.+-]*)$/u;
let field = null; // whose list is open
let list = null;
let chosen = 0;
let asked = 0;

const typed = (input) => WANTED.exec(input.value.slice(0, input.selectionStart))?.[1];
const options = () => [...list.children];

document.addEventListener("input", ({ target, isComposing }) => {
  if (!isComposing) offer(target);
});

async function offer(target) {
  if (!target?.matches?.("input[data-names]")) return;
  const start = typed(target);
  const number = (asked += 1);
  if (start === undefined) return close();
  const found = await names(target.dataset.names, start);
  if (number !== asked || typed(target) !== start || document.activeElement !== target) return; // typing went on
  if (found.length) open(target, found);
  else close();
}

async function names(url, start) {
  try {
    const answer = await fetch(`${url}?${new URLSearchParams({ start })}`, { headers: { "HX-Request": "true" } });
    return answer.ok ? (await answer.json()).names : [];
  } catch {
    return []; // a note is written without the list, too
  }
}

function open(input, found) {
  close();
  [field, list] = [input, document.createElement("ul")];
  list.id = "mention-names";
  list.className = "mention-names";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", input.dataset.namesLabel);
  list.append(...found.map(option));
  (input.closest("label") ?? input).after(list); // not inside: what a label holds is the name of its field
  for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "true", "aria-controls": list.id })) {
    input.setAttribute(name, value);
  }
  choose(0);
}

function option({ name, told }, index) {
  const item = document.createElement("li");
  item.id = `mention-name-${index}`;
  item.className = "mention-names__one";
  item.dataset.name = name;
  item.setAttribute("role", "option");
  for (const [tag, words] of [["strong", `@${name}`], ["bdi", told]]) {
    const part = document.createElement(tag);
    part.textContent = words;
    item.append(part, " ");
  }
  return item;
}

function choose(index) {
  chosen = (index + list.childElementCount) % list.childElementCount;
  options().forEach((item, place) => item.setAttribute("aria-selected", String(place === chosen)));
  field.setAttribute("aria-activedescendant", list.children[chosen].id);
  list.children[chosen].scrollIntoView({ block: "nearest" });
}

function take(item) {
  const end = field.selectionStart;
  const start = end - typed(field).length;
  field.setRangeText(`${item.dataset.name} `, start, end, "end");
  close();
}

function close() {
  for (const name of ["role", "aria-autocomplete", "aria-expanded", "aria-controls", "aria-activedescendant"]) field?.removeAttribute(name);
  list?.remove();
  field = list = null;
}

/* Before everybody else: Enter would send the note, and Escape close it. */
document.addEventListener("keydown", (event) => {
  if (!list || event.target !== field || event.isComposing) return;
  const acts = {
    ArrowDown: () => choose(chosen + 1),
    ArrowUp: () => choose(chosen - 1),
    Enter: () => take(list.children[chosen]),
    Tab: () => take(list.children[chosen]),
    Escape: close,
  };
  if (!acts[event.key] || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  acts[event.key]();
}, true);

/* The pointer must not take the focus from the field. */
document.addEventListener("pointerdown", (event) => {
  const item = event.target.closest?.(".mention-names__one");
  if (!item) return;
  event.preventDefault();
  take(item);
});
document.addEventListener("mousedown", (event) => event.target.closest?.(".mention-names__one") && event.preventDefault());
document.addEventListener("focusout", (event) => event.target === field && close());

offer(document.activeElement); // what was typed while this file was on its way
