// Writes made-up results and their reports to target/page-fixtures, with the page as it is built now.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const FIXTURES = fileURLToPath(new URL("../../target/page-fixtures", import.meta.url));

export default function writeFixtures() {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  // Of the whole workspace, as the tests build it: for one package alone, cargo would build its dependencies anew with fewer features.
  execFileSync("cargo", ["build", "--quiet", "--workspace", "--locked", "--example", "sample_reports"], { cwd: root, stdio: "inherit" });
  execFileSync(`${root}/target/debug/examples/sample_reports`, [FIXTURES], { cwd: root, stdio: "inherit" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFixtures();
