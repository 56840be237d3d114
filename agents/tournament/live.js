"use strict";

// ---- a page that shows an event while it runs --------------------------------------------------------------------------

const EVERY = 1000, AGAIN = 2000; // milliseconds between two questions, and after one without an answer
const status_ = document.getElementById("status"), bar = document.getElementById("progress");

/** The parts come from the server, which writes names as text only. */
function show({ games, all, end, parts }) {
  for (const [key, html] of Object.entries(parts)) {
    const section = document.getElementById(key), place = section.querySelector("div");
    if (section.dataset.html === html) continue;
    const across = place.querySelector(".scrolled")?.scrollLeft ?? 0, focused = place.contains(document.activeElement);
    section.dataset.html = html;
    section.hidden = !html;
    place.innerHTML = html;
    const table = place.querySelector(".scrolled");
    if (table) table.scrollLeft = across;
    if (focused) table?.focus({ preventScroll: true });
  }
  bar.max = all;
  bar.value = games;
  const far = games ? `${games.toLocaleString("en")} of ${all.toLocaleString("en")} games.` : "No game has ended yet.";
  say(end || far);
  document.body.dataset.state = end ? "ended" : "running";
}

function say(text) {
  if (status_.textContent !== text) status_.textContent = text;
}

async function ask() {
  let wait = EVERY;
  try {
    const answer = await fetch("state", { cache: "no-store" });
    if (answer.ok) {
      const told = await answer.json();
      show(told);
      if (told.end) return;
    } else {
      say(`The event cannot be shown now: ${await answer.text()}`);
      document.body.dataset.state = "failed";
      wait = AGAIN;
    }
  } catch {
    say("No answer: the event has ended, or was stopped. If it goes on at this address, so does this page.");
    document.body.dataset.state = "silent";
    wait = AGAIN;
  }
  setTimeout(ask, wait);
}

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
ask();
