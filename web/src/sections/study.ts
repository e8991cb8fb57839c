// The study as it was run: its rounds, where it was published, what its authors note, and what flags left out of it.

import { swatch } from "../charts/key";
import type { Context } from "../context";
import type { TargetRecord } from "../types";
import { type Child, authored, h, spoken } from "../dom";
import { section } from "../section";
import { roundsBy } from "./top";

export function study(context: Context): HTMLElement {
  const { words, comparison } = context;
  const { head } = comparison;
  const rounds = words.rounds(head.rounds_asked);
  const by = roundsBy(context);
  const facts: [string, Child][] = [
    [words.study.rounds, by === null ? words.study.fixed(rounds) : words.sentences([rounds, by])],
    ...(head.source === null ? [] : [[words.study.source, authored(head.source)] as [string, Child]]),
  ];
  // A blank line ends a paragraph; single line ends are only where the file's lines were full.
  const notes = (head.notes ?? "").split(/\n\s*\n/).map((text) => text.replaceAll(/\s+/g, " ").trim());
  const paragraphs = notes.filter((text) => text !== "");
  return section(
    context,
    "study",
    { title: words.study.title },
    contenders(context),
    h("dl", {}, ...facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    head.left_out.length > 0 && h("h3", {}, words.study.leftOut),
    head.left_out.length > 0 && h("ul", { class: "sentences left-out" }, ...head.left_out.map((part) => h("li", {}, spoken(context.say(part))))),
    paragraphs.length > 0 && h("h3", {}, words.study.notes),
    ...paragraphs.map((text) => h("p", { class: "notes" }, authored(text))),
  );
}

/** All targets with their titles, as they look in every picture. */
function contenders(context: Context): HTMLElement {
  const items = context.comparison.head.targets.map((target, index) =>
    h("li", {}, swatch(context, index), h("strong", {}, target.label), target.title !== "" && " ", target.title !== "" && authored(target.title), role(context, target)),
  );
  return h("ul", { class: "contenders", "aria-label": context.words.targets }, ...items);
}

/** What a target is that does not race. */
function role({ words }: Context, { limit, same_as }: TargetRecord): string | null {
  if (limit) return ` (${words.figures.limit})`;
  return same_as == null ? null : ` (${same_as} ${words.noise.itself})`;
}
