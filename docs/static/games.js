// The table of all games: a click on a head sorts by that column, and a field above finds games by words.

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

function filterable(table) {
  const field = document.createElement("input"), found = document.createElement("output");
  field.type = "search";
  const ofResults = table.closest(".of-results") !== null;
  field.placeholder = ofResults ? "Find results: words of a game, an agent or an opponent, such as kalah depth4"
    : "Find games: words of a name, region or mechanism, such as 2x6 relay";
  field.setAttribute("aria-label", ofResults ? "Find results" : "Find games");
  const rows = [...table.tBodies[0].rows];
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    found.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} ${ofResults ? "results" : "games"}`;
  };
  field.addEventListener("input", show);
  table.closest(".games-table").prepend(field, found);
  show();
}

document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".games-table table")) {
    sortable(table);
    filterable(table);
  }
});
