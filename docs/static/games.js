// The table of all games: a click on a head sorts by that column; above it agents/play/finder.js finds games.

/** What a cell is sorted by: its number, if it begins with one, else its text. */
function sortKey(row, column) {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text.replace(/[,<> ]/g, ""));
  return Number.isNaN(number) ? text.toLowerCase() : number;
}

function sortable(table) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const keyed = [...body.rows].map((row) => [sortKey(row, column), row]);
      keyed.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0) * (up ? 1 : -1));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}

/** The search of the play page's lobby, over the rows of a table of games, or of results by their words. */
function filterable(table) {
  const found = document.createElement("output"), rows = [...table.tBodies[0].rows];
  const cards = JSON.parse(document.getElementById("cards").textContent), games = !table.closest(".of-results");
  const text = (row) => [...row.cells].map((cell) => cell.textContent).join(" ");
  const known = cards.map((card, k) => ({ ...card, row: rows[k], title: games ? card.title : `${card.title} ${text(rows[k])}` }));
  const finder = new Finder(known, show,
    ...(games ? [] : ["Find results", "Words of a game, an agent or an opponent, such as kalah depth4"]));
  function show() {
    const { fits, notes } = finder.fits();
    for (const row of rows) row.hidden = true;
    for (const { card, matched } of fits) Object.assign(card.row, { hidden: false, title: matched });
    found.textContent = [...notes, `${fits.length} of ${rows.length} ${games ? "games" : "results"}`].join(" ");
  }
  table.closest(".games-table").prepend(finder.find, ...(games ? [finder.region, finder.rows, finder.kind] : []), found);
  show();
}

document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".games-table table")) {
    sortable(table);
    filterable(table);
  }
});
