// Tables of figures: a caption, row and column headings, and a box of their own to scroll in.

import { copyButton, copyText, markdownTable } from "./copy";
import { type Child, disclosure, h } from "./dom";
import type { Context } from "./context";

export interface Cell {
  text: Child;
  /** What stands below it, such as an interval. */
  detail?: string | undefined;
  /** Further lines below. */
  more?: string[] | undefined;
  /** What the cell is, for tests and scripts. */
  data?: Record<string, string> | undefined;
}

export interface Table {
  caption: string;
  columns: Child[];
  rows: { head: Child; cells: (Cell | Child)[] }[];
  /** Whether cells hold words rather than figures. */
  words?: boolean;
}

function isCell(cell: Cell | Child): cell is Cell {
  return typeof cell === "object" && cell !== null && !(cell instanceof Node);
}

function dataCell(cell: Cell | Child): HTMLElement {
  if (!isCell(cell)) return h("td", {}, cell);
  const data = Object.entries(cell.data ?? {}).map(([name, value]) => [`data-${name}`, value]);
  return h(
    "td",
    Object.fromEntries(data) as Record<string, string>,
    cell.text,
    cell.detail === undefined ? null : h("span", { class: "detail" }, cell.detail),
    ...(cell.more ?? []).map((line) => h("span", { class: "detail note-line" }, line)),
  );
}

/** A table in its own box, which can be reached and scrolled with the keyboard. */
export function table({ caption, columns, rows, words }: Table): HTMLElement {
  const [corner, ...rest] = columns;
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      words ? { class: "words" } : {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, corner), ...rest.map((c) => h("th", { scope: "col" }, c)))),
      h("tbody", {}, ...rows.map(({ head, cells }) => h("tr", {}, h("th", { scope: "row" }, head), ...cells.map(dataCell)))),
    ),
  );
}

/** The same table as Markdown. */
export function markdown({ columns, rows }: Table): string {
  const text = (child: Child): string => (child instanceof Element ? [...child.childNodes].map((node) => node.textContent).join(" ") : child instanceof Node ? (child.textContent ?? "") : child || "");
  const whole = (cell: Cell | Child): string => (isCell(cell) ? [text(cell.text), cell.detail, ...(cell.more ?? [])].filter(Boolean).join(" ") : text(cell));
  return markdownTable(
    columns.map(text),
    rows.map(({ head, cells }) => [text(head), ...cells.map(whole)]),
  );
}

/** The table beside a picture, closed at first. */
export function tableBeside(context: Context, content: () => Table, label?: string): HTMLElement {
  const { copy, table: name } = context.words;
  const filled = (): Node => {
    const made = content();
    const button = copyButton(context, copy.markdown, `${copy.markdownName}${context.words.colon}${made.caption}`, () => copyText(context, markdown(made)));
    return h("div", { class: "beside-table" }, button, table(made));
  };
  return disclosure(label ?? name, filled, { class: "beside" });
}
