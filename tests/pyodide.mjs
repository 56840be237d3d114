// Runs a Python program where a browser would: node tests/pyodide.mjs PYODIDE SOURCES PROGRAM. What it prints comes out.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const [pyodide, sources, program] = process.argv.slice(2);
const { loadPyodide } = createRequire(import.meta.url)(`${pyodide}/pyodide.js`);
try {
  const python = await loadPyodide({ indexURL: `${pyodide}/`, env: { HOME: "/home/pyodide" } });
  await python.loadPackage("numpy", { messageCallback: () => undefined });
  python.unpackArchive(new Uint8Array(readFileSync(sources)).buffer, "zip");
  python.runPython(readFileSync(program, "utf8"));
} catch (error) {
  console.error(error.message); // without the source of Pyodide, which is one line
  process.exit(1);
}
