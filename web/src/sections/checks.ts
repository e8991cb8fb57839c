// The validity checks, and what it means where one failed.

import type { Context } from "../context";
import type { CheckResult, CheckStatus } from "../types";
import { disclosure, h, spoken } from "../dom";
import { section } from "../section";

const SIGNS: Record<CheckStatus, string> = { ok: "✓", failed: "✗", partly: "◐", "not-checked": "○" };

export function checks(context: Context): HTMLElement {
  const { words, comparison } = context;
  return section(
    context,
    "checks",
    { title: words.checks.title, lead: words.checks.lead },
    h("ul", { class: "checks" }, ...comparison.checks.map((check) => item(context, check))),
  );
}

function item(context: Context, check: CheckResult): HTMLElement {
  const { words } = context;
  return h(
    "li",
    { class: check.status },
    h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[check.status]),
    h(
      "div",
      {},
      h("strong", {}, context.say(check.title)),
      h("span", { class: "status" }, words.checkStatus[check.status]),
      h("p", {}, spoken(context.say(check.says))),
      check.failing.length > 0 && failing(context, check),
      check.notes.length > 0 &&
        disclosure(words.checks.worthKnowing, () => list(check.notes.map((note) => context.say(note))), { class: "beside" }),
    ),
  );
}

function failing(context: Context, check: CheckResult): HTMLElement {
  const { words } = context;
  const places = check.failing.map(({ target, workload, level, round, says }) => {
    const parts = [target, workload, level === null ? null : context.say(level), round === null ? null : words.round(round)];
    const place = words.list(parts.filter((part) => part !== null));
    return place === "" ? context.say(says) : `${place}${words.colon}${context.say(says)}`;
  });
  return disclosure(words.checks.where(check.failing.length), () => list(places), { class: "beside", open: check.failing.length <= 3 });
}

function list(sentences: string[]): HTMLElement {
  return h("ul", {}, ...sentences.map((sentence) => h("li", {}, spoken(sentence))));
}
