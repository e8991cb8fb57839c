// What is copied of the whole page: the verdict, why, what to doubt, and the ratios, as Markdown.

import type { Context } from "../context";
import { plain } from "../copy";
import { markdown } from "../table";
import { ratioTable, rowsToShow } from "./ratios";
import { doubts, headlineOf, because, runFacts } from "./top";

export function summary(context: Context): string {
  const { words, comparison } = context;
  const listed = doubts(context).map(({ text }) => `- ${plain(text)}`);
  const cells = rowsToShow(context);
  return [
    `**${plain(comparison.head.title)}**`,
    plain(headlineOf(context)),
    ...because(context).map(plain),
    ...(cells.length === 0 ? [] : [markdown(ratioTable(context, cells))]),
    ...(listed.length === 0 ? [] : [`${words.head.doubts(listed.length)}${words.colon}`.trim(), listed.join("\n")]),
    [...runFacts(context).map(plain), `photofinish ${comparison.head.machine.photofinish}`].join(" · "),
  ].join("\n\n");
}
