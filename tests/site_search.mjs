// Searches a site as its own pages do: node tests/site_search.mjs SITE QUERY... prints, a line each, the pages found first.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const [site, ...queries] = process.argv.slice(2);
const page = { addEventListener() {}, getElementById: () => null, readyState: "loading" };
const scope = { document: page, _ready() {}, _: (text) => text, SPHINX_HIGHLIGHT_ENABLED: false };
scope.window = scope;
vm.createContext(scope);
for (const name of ["base-stemmer", "english-stemmer", "language_data", "searchtools"]) {
  vm.runInContext(readFileSync(`${site}/_static/${name}.js`, "utf8"), scope);
}
vm.runInContext(readFileSync(`${site}/searchindex.js`, "utf8"), scope);
for (const query of queries) {
  const found = vm.runInContext(`Search._performSearch(...Search._parseQuery(${JSON.stringify(query)}))`, scope);
  console.log(found.reverse().slice(0, 3).map(([name]) => name).join(" "));
}
