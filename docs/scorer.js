// The order of search results (html_search_scorer of Sphinx): guides, of those alike the first here; then what introduces.
const GUIDES = ["play", "environments", "training", "protocol", "tournaments", "evaluate", "policies", "exact"].map((name) => `docs/${name}`);
var Scorer = {
  score: ([page, , , , score]) => score
    + (GUIDES.includes(page) ? 20 - GUIDES.indexOf(page) / 10 : /^(README|notebooks|docs.notebooks)/.test(page) ? 10 : 0)
    - (page.startsWith("docs/api/") ? 10 : 0),
  objNameMatch: 11, objPartialMatch: 6, objPrio: { 0: 15, 1: 5, 2: -5 }, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
