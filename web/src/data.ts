// The data that Rust put into the page.

import type { Data, TargetFigures } from "./types";

export function read(): Data {
  const text = document.getElementById("data")?.textContent ?? "";
  const data: unknown = JSON.parse(text);
  if (typeof data !== "object" || data === null) throw new Error("this page holds no data");
  return arranged(data as Data);
}

/** The same data with the limit at the end of every cell's targets, so that contenders stand together. */
function arranged(data: Data): Data {
  const place = (target: TargetFigures): number => Number(target.role === "limit");
  for (const cell of data.comparison.cells) cell.targets.sort((a, b) => place(a) - place(b));
  return data;
}
