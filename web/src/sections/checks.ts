// The honesty rules, and what it means where one does not hold.

import type { Context } from "../context";
import type { CheckResult, CheckStatus } from "../types";
import { disclosure, english, h } from "../dom";
import { said } from "../noise";
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
  const says = words.checks.says?.({ ...check, failing: check.failing.length }) ?? check.says;
  return h(
    "li",
    { class: check.status },
    h("span", { class: "sign", "aria-hidden": "true" }, SIGNS[check.status]),
    h(
      "div",
      {},
      h("strong", {}, words.checks.titles[check.name] ?? check.title),
      h("span", { class: "status" }, words.checkStatus[check.status]),
      h("p", {}, says, words.checks.says !== null && reason(context, check)),
      check.failing.length > 0 && failing(context, check),
      check.told.length > 0 &&
        disclosure(words.checks.worthKnowing, () => listed(context, ruler(context, check, false) ?? check.told.map(english)), { class: "beside" }),
    ),
  );
}

/** Why a rule was not checked, which the lab says in English. */
function reason({ words }: Context, { says }: CheckResult): HTMLElement | null {
  const why = /^(?:not checked yet|.*; else): (.+)$/.exec(says)?.[1];
  return why === undefined ? null : h("span", {}, words.colon, words.checks.reasons[why] ?? english(why));
}

function failing(context: Context, check: CheckResult): HTMLElement {
  const { words } = context;
  const told = ruler(context, check, true) ?? check.failing.map(({ target, workload, level, round, says }) => {
    const parts = [target, workload, level === null ? null : context.translatedLevel(level), round === null ? null : words.round(round)];
    const place = words.list(parts.filter((part) => part !== null));
    return h("span", {}, place === "" ? null : `${place}${words.colon}`, english(says));
  });
  return disclosure(words.checks.where(check.failing.length), () => listed(context, told), { class: "beside", open: check.failing.length <= 3 });
}

/** What A/A pairs told, from their figures; null for other rules, and in English, which the comparison speaks itself. */
function ruler(context: Context, check: CheckResult, failing: boolean): HTMLElement[] | null {
  if (check.name !== "noise-floor" || context.language === "en") return null;
  const { words, comparison } = context;
  return comparison.cells.flatMap((cell) =>
    cell.noise
      .filter((floor) => (failing ? floor.different === true : floor.different === false && floor.metric === "throughput"))
      .map((floor) => h("span", {}, `${context.place(cell)}${words.colon}${said(context, floor)}`)),
  );
}

/** What the program recorded, after a word on its language where that is not the page's. */
function listed({ words }: Context, children: HTMLElement[]): HTMLElement {
  const isEnglish = children.some((child) => child.matches("[lang='en']") || child.querySelector("[lang='en']") !== null);
  const recorded = isEnglish ? words.checks.recorded : null;
  return h(
    "div",
    {},
    recorded !== null && h("p", {}, recorded),
    h("ul", {}, ...children.map((child) => h("li", {}, child))),
  );
}
