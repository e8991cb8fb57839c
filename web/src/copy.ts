// Copying: figures as images, tables and the verdict as Markdown.

import { h } from "./dom";
import { inLanguage, say, word } from "./language";
import type { Data, ScriptWords } from "./types";

/** Pixels of an image for each of the page's. */
const SCALE = 2;

/** How long a browser may take over a step, in milliseconds, before the page does without it. */
const PATIENCE = 10_000;

/** How long the outcome is shown, in milliseconds. */
const SHOWN = 2500;

const PADDING = 20;

/** Adds a button to every figure and to every table behind one; returns the button for the verdict. */
export function copying(data: Data): HTMLElement {
  for (const figure of document.querySelectorAll<HTMLElement>("figure:not(:has([data-flame]))")) {
    figure.querySelector("figcaption")?.append(button("copy_image", () => copyImage(figure)));
  }
  for (const box of document.querySelectorAll<HTMLElement>("details .scroll")) {
    const table = box.querySelector("table");
    if (table) box.before(button("copy_table", () => copyText(markdown(table))));
  }
  return button("copy_summary", () => copyText(say(data.summary)));
}

/** What comes of `work`, or an error when it takes too long: promises of the clipboard may stay open for ever. */
function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it took too long")), PATIENCE);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A button that copies, says that it is at it, and then for a moment what came of it. */
function button(label: keyof ScriptWords, copy: () => Promise<keyof ScriptWords>): HTMLButtonElement {
  const made = h("button", { type: "button", class: "copy" });
  let shown: ReturnType<typeof setTimeout> | undefined;
  const rest = (): void => {
    made.textContent = word(label);
  };
  const copying = async (): Promise<void> => {
    clearTimeout(shown);
    made.setAttribute("aria-busy", "true");
    made.textContent = word("copying");
    const outcome = await copy().catch((): keyof ScriptWords => "not_copied");
    made.removeAttribute("aria-busy");
    made.textContent = word(outcome);
    shown = setTimeout(rest, SHOWN);
  };
  made.addEventListener("click", () => {
    if (!made.hasAttribute("aria-busy")) void copying();
  });
  inLanguage(rest);
  return made;
}

/** Puts text on the clipboard; where a browser refuses that of a file, by the older way. */
async function copyText(text: string): Promise<keyof ScriptWords> {
  try {
    await inTime(navigator.clipboard.writeText(text));
  } catch {
    const area = h("textarea", { class: "unseen", "aria-hidden": "true" }, text);
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (!isCopied) throw new Error("no clipboard");
  }
  return "copied";
}

/** Puts a figure on the clipboard as an image; saves it where the clipboard takes no images. */
async function copyImage(figure: HTMLElement): Promise<keyof ScriptWords> {
  const image = await png(figure);
  try {
    await inTime(navigator.clipboard.write([new ClipboardItem({ "image/png": image })]));
    return "copied";
  } catch {
    const address = URL.createObjectURL(image);
    h("a", { href: address, download: "photofinish.png" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    return "saved";
  }
}

/** The figure with its titles and what to know of it, as the browser draws it. */
async function png(figure: HTMLElement): Promise<Blob> {
  const sheet = document.querySelector("style")?.textContent ?? "";
  const width = figure.clientWidth + 2 * PADDING;
  const holder = h("div", { class: "image", style: `width:${width}px` }, document.querySelector(".marks")?.cloneNode(true), ...titles(figure), bare(figure));
  document.body.append(holder);
  const height = holder.offsetHeight;
  holder.remove();
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const { lang, dataset } = document.documentElement;
  const isDark = dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  for (const [name, value] of Object.entries({ width, height, lang, "data-theme": isDark })) svg.setAttribute(name, String(value));
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = sheet;
  const inner = document.createElementNS("http://www.w3.org/2000/svg", "foreignObject");
  inner.setAttribute("width", "100%");
  inner.setAttribute("height", "100%");
  inner.append(holder);
  svg.append(style, inner);
  const image = await loaded(svg, width, height);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("no canvas");
  pen.scale(SCALE, SCALE);
  pen.drawImage(image, 0, 0, width, height);
  return encoded(canvas);
}

function titles(figure: HTMLElement): HTMLElement[] {
  const texts = [figure.closest("section")?.querySelector("h2, h3"), document.querySelector("h1")];
  return texts.flatMap((text) => (text ? [h("p", { class: "image-title" }, ...[...text.childNodes].map((node) => node.cloneNode(true)))] : []));
}

/** A copy of a figure without what only the page has; what to know of it is open. */
function bare(figure: HTMLElement): HTMLElement {
  const copy = figure.cloneNode(true) as HTMLElement;
  for (const part of copy.querySelectorAll(".copy, .tip, .unseen, details:not(.cautions)")) part.remove();
  for (const details of copy.querySelectorAll("details")) details.replaceWith(...details.querySelectorAll("ul"));
  return copy;
}

/** A picture as an image. `decode()` would wait for a frame of the page, and a page in the background draws none. */
function loaded(picture: SVGSVGElement, width: number, height: number): Promise<HTMLImageElement> {
  const image = new Image(width, height);
  const loading = new Promise<HTMLImageElement>((resolve, reject) => {
    image.addEventListener("load", () => resolve(image));
    image.addEventListener("error", () => reject(new Error("no image")));
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(picture))}`;
  return inTime(loading);
}

/**
 * A canvas as PNG, made at once. Chromium leaves `toBlob` to the page's idle time, and on a busy machine waits almost seven
 * seconds for it before it does the work, which takes tens of milliseconds.
 */
function encoded(canvas: HTMLCanvasElement): Blob {
  const [, content = ""] = canvas.toDataURL("image/png").split(",");
  if (content === "") throw new Error("no image");
  return new Blob([Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))], { type: "image/png" });
}

/** A table as Markdown, in the page's language. */
function markdown(table: HTMLTableElement): string {
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => plain(cell.innerText)));
  const line = (cells: string[]): string => `| ${cells.join(" | ")} |`;
  const rule = (rows[0] ?? []).map((_, i) => (i === 0 ? ":---" : "---:"));
  return [line(rows[0] ?? []), line(rule), ...rows.slice(1).map(line)].join("\n");
}

/** Text that is neither markup nor the end of a cell to Markdown. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().replaceAll(/[\\|<>`*_]/g, "\\$&").replaceAll("](", "]\\(");
}
