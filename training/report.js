// ---- the report of a run: its best and its worst game ------------------------------------------------------------------

document.getElementById("theme").addEventListener("click", toggleTheme);
const place = document.getElementById("page");
if (place) {
  start().then(async () => {
    const player = new Player(place);
    let current = 0;
    const choice = element("select", { id: "choice", onchange: () => load(Number(choice.value)) },
      ...games.map((game, k) => element("option", { value: k }, game.title)));
    const load = async (number) => {
      current = number;
      choice.value = String(number);
      await player.load(games[number]);
    };
    place.before(element("p", {}, element("label", { for: "choice" }, "Game "), choice));
    for (const button of document.querySelectorAll("[data-ply]")) {
      button.addEventListener("click", async () => {
        if (current !== Number(button.dataset.game)) await load(Number(button.dataset.game));
        player.go(Number(button.dataset.ply));
        place.scrollIntoView({ block: "start" });
      });
    }
    document.addEventListener("keydown", (event) => player.key(event));
    await load(0);
  });
} else {
  document.body.dataset.state = "still";
}
