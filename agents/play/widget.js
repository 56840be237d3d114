// ---- the widget of agents/play/widget.py --------------------------------------------------------------------------------

/** JupyterLab says which of its themes is on; other notebooks leave it to the system. */
function themeOf(model) {
  const asked = model.get("theme"), lab = document.body.dataset.jpThemeLight;
  if (asked !== "auto") return asked;
  return lab === undefined ? "" : lab === "true" ? "light" : "dark";
}

function render({ model, el }) {
  const view = `${Date.now()}-${Math.random()}`, waiting = new Map();
  const place = document.createElement("div");
  let table = null, count = 0;
  place.className = "mancala-play";
  el.append(place);

  const ask = (request) => new Promise((done, fail) => {
    count += 1;
    waiting.set(`${view} ${count}`, { done, fail });
    model.send({ ...request, view, id: `${view} ${count}` });
  });
  const receive = (message) => {
    if (message.changed !== undefined && message.changed !== view) table?.refresh();
    const asked = waiting.get(message.id);
    if (!asked) return;
    waiting.delete(message.id);
    if (message.error === undefined) asked.done(message);
    else asked.fail(Object.assign(new Error(message.error), message));
  };
  const paint = () => { place.dataset.theme = themeOf(model); };
  model.on("msg:custom", receive);
  model.on("change:theme", paint);
  paint();

  ask({ command: "open" }).then((told) => {
    const inside = document.createElement("section");
    place.append(inside);
    table = new Table(inside, ask, told.choices);
    return table.open(told.game);
  }).catch((error) => { place.textContent = error.message; });
  return () => {
    model.off("msg:custom", receive);
    model.off("change:theme", paint);
  };
}

export default { render };
