// Copying: pictures as images, tables as Markdown.

import { wrapped } from "./charts/text";
import type { Context } from "./context";
import { h } from "./dom";

/** Properties that an element of a picture has from a style sheet or from outside of it. */
const STYLED = ["fill", "stroke", "color", "font-family", "font-size", "font-weight", "font-variant-numeric"] as const;

/** Pixels of the image for each of the picture's. */
const SCALE = 2;

const PADDING = 20;

const LINE = 20;

/** The size of what stands below the pictures. */
const SMALL = 12;

/** How long a browser may take over a step, in milliseconds, before the page does without it. */
const PATIENCE = 10_000;

/** How long the outcome is shown, in milliseconds. */
const SHOWN = 2500;

/** What comes of `work`, or an error when it takes too long: promises of the clipboard may stay open for ever. */
function inTime<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("it took too long")), PATIENCE);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A button that does something with the clipboard, says that it is at it, and then for a moment what came of it. */
export function copyButton({ words }: Context, label: string, name: string, copy: () => Promise<string>): HTMLButtonElement {
  const button = h("button", { type: "button", class: "copy", "aria-label": name, title: name }, label);
  let shown: ReturnType<typeof setTimeout> | undefined;
  const copying = async (): Promise<void> => {
    clearTimeout(shown);
    button.setAttribute("aria-busy", "true");
    button.textContent = words.copy.busy;
    const outcome = await copy().catch(() => words.copy.failed);
    button.removeAttribute("aria-busy");
    button.textContent = outcome;
    shown = setTimeout(() => (button.textContent = label), SHOWN);
  };
  button.addEventListener("click", () => {
    if (!button.hasAttribute("aria-busy")) void copying();
  });
  return button;
}

/** Puts text on the clipboard; where a browser refuses that of a file, by the older way. */
export async function copyText({ words }: Context, text: string): Promise<string> {
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
  return words.copy.done;
}

/** Puts a figure's pictures, with its titles above them and what to know below, on the clipboard as an image; saves it where the clipboard takes no images. */
export async function copyImage({ words }: Context, titles: string[], pictures: SVGSVGElement[], cautions: string[]): Promise<string> {
  const image = await png(titles, pictures, cautions);
  try {
    await inTime(navigator.clipboard.write([new ClipboardItem({ "image/png": image })]));
    return words.copy.done;
  } catch {
    const address = URL.createObjectURL(image);
    h("a", { href: address, download: "photofinish.png" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    return words.copy.saved;
  }
}

async function png(titles: string[], pictures: SVGSVGElement[], cautions: string[]): Promise<Blob> {
  const drawn = pictures.map((picture) => ({ picture: standalone(picture), ...sizeOf(picture) }));
  const { color, backgroundColor, fontFamily } = getComputedStyle(document.body);
  const width = Math.max(...drawn.map((one) => one.width)) + 2 * PADDING;
  const below = cautions.flatMap((caution) => wrapped(`† ${caution}`, width - 2 * PADDING, SMALL));
  const height = drawn.reduce((sum, one) => sum + one.height, 0) + (titles.length + below.length) * LINE + 2.5 * PADDING;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SCALE, height * SCALE];
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("no canvas");
  pen.scale(SCALE, SCALE);
  pen.fillStyle = backgroundColor;
  pen.fillRect(0, 0, width, height);
  let y = PADDING;
  titles.forEach((title, i) => {
    pen.fillStyle = color;
    pen.font = `${i === 0 ? 600 : 400} ${i === 0 ? 15 : 13}px ${fontFamily}`;
    pen.fillText(title, PADDING, y + LINE - 6, width - 2 * PADDING);
    y += LINE;
  });
  y += PADDING / 2;
  for (const { picture, height: tall, width: wide } of drawn) {
    pen.drawImage(await loaded(picture, wide, tall), PADDING, y, wide, tall);
    y += tall;
  }
  pen.fillStyle = color;
  pen.font = `400 ${SMALL}px ${fontFamily}`;
  for (const text of below) pen.fillText(text, PADDING, (y += LINE), width - 2 * PADDING);
  return encoded(canvas);
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

function sizeOf(picture: SVGSVGElement): { width: number; height: number } {
  return { width: Number(picture.getAttribute("width")), height: Number(picture.getAttribute("height")) };
}

/** The same picture with all of its looks in itself, since an image knows no style sheet. */
function standalone(picture: SVGSVGElement): SVGSVGElement {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const originals = [picture, ...picture.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  originals.forEach((original, i) => {
    const computed = getComputedStyle(original);
    for (const name of STYLED) copies[i]?.style.setProperty(name, computed.getPropertyValue(name));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return copy;
}

/** A table as Markdown shows it; what would end a cell is escaped. */
export function markdownTable(columns: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.map(plain).join(" | ")} |`;
  const rule = columns.map((_, i) => (i === 0 ? ":---" : "---:"));
  return [line(columns), `| ${rule.join(" | ")} |`, ...rows.map(line)].join("\n");
}

/** Text that is neither markup nor the end of a cell to Markdown. */
export function plain(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().replaceAll(/[\\|<>`*_]/g, "\\$&").replaceAll("](", "]\\(");
}
