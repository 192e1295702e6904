// Conveniences; every page works without them.
"use strict";

// `/` brings the caret to the search field.
document.addEventListener("keydown", (event) => {
  const at = event.target;
  const writes = at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName);
  if (event.key === "/" && !(writes && at.type !== "range") && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const field = document.querySelector("[data-search]");
    if (field) {
      event.preventDefault();
      field.focus();
      field.select();
    }
  } else if (event.key === "Escape" && at.matches("[data-search]")) {
    at.blur();
  }
});

// On a phone, the navigation may be wider than the screen.
const current = document.querySelector("nav [aria-current]");
if (current) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.clientWidth / 2;

// So may a drawing: of the graph its middle matters, and of a chart what was last.
for (const drawing of document.querySelectorAll("[data-scroll]")) {
  const hidden = drawing.scrollWidth - drawing.clientWidth;
  drawing.scrollLeft = drawing.dataset.scroll === "middle" ? hidden / 2 : hidden;
}

// A slider says which day it stands at, and shows what it asks for when it is let go.
document.addEventListener("input", (event) => {
  const slider = event.target;
  const shown = document.querySelector(`output[data-day-of="${slider.name}"]`);
  if (slider.type !== "range" || !shown) return;
  const day = new Date(Number(slider.value) * 86400000).toISOString().slice(0, 10);
  shown.textContent = slider.value === slider.max ? "now" : day;
  slider.setAttribute("aria-valuetext", shown.textContent);
});
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-submits]");
  if (form && event.target.matches("input[type=range], select, input[type=checkbox]")) form.requestSubmit();
});
// After the page has come back, the slider that was moved still has the focus.
addEventListener("submit", (event) => {
  const id = document.activeElement && document.activeElement.id;
  if (event.target.matches("form[data-submits]") && id) sessionStorage.setItem("focus", id);
});
const last = sessionStorage.getItem("focus");
sessionStorage.removeItem("focus");
if (last && document.getElementById(last)) document.getElementById(last).focus();

// What was open is open again when the visitor comes back.
const opened = new Set(history.state && history.state.opened);
const reopen = (part) => {
  for (const each of part.querySelectorAll("details[id]")) if (opened.has(each.id)) each.open = true;
};

// What a summary was made from is asked for when it is opened.
document.addEventListener("toggle", async (event) => {
  const node = event.target;
  if (node.id) {
    if (node.open) opened.add(node.id);
    else opened.delete(node.id);
    history.replaceState({ opened: [...opened] }, "");
  }
  const place = node.dataset && node.dataset.below;
  if (!node.open || !place) return;
  delete node.dataset.below;
  const answer = await fetch(place, { credentials: "same-origin" }).catch(() => null);
  // Without an answer, the link that stands there leads to it.
  if (!answer || !answer.ok || answer.redirected) return;
  const below = node.querySelector(":scope > .below");
  below.innerHTML = await answer.text();
  reopen(below);
}, true);
reopen(document);
