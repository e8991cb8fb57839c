// Writes made-up results and their reports to target/page-fixtures, with the page as it is built now.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

export const FIXTURES = fileURLToPath(new URL("../../target/page-fixtures", import.meta.url));

export default function writeFixtures() {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const args = ["run", "--quiet", "--locked", "-p", "photofinish-report", "--example", "sample_reports", "--", FIXTURES];
  execFileSync("cargo", args, { cwd: root, stdio: "inherit" });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFixtures();
