// A picture that fits its box: drawn again when the box changes, described in words to who cannot see it, read out under the pointer.

import { type Markish, type PlotOptions, plot, pointer, pointerX, pointerY, tip } from "@observablehq/plot";
import { h } from "../dom";

/** What is read out where the pointer is nearest to a place, given in the picture's scales. */
export interface ReadOut {
  x: number;
  y: number;
  text: string;
}

export interface Drawing extends PlotOptions {
  marks: Markish[];
  readOuts?: ReadOut[];
  /** Along which direction the pointer looks for the nearest place; both without it. */
  along?: "x" | "y";
}

/** Options that all pictures share. */
const SHARED = { style: { background: "none", color: "var(--ink)", fontSize: "12px", overflow: "visible" } } as const;

const PRINTED_WIDTH = 660;

const POINTERS = { x: pointerX, y: pointerY, both: pointer } as const;

const drawers = new Set<() => void>();

/** Draws anew all pictures that are not yet drawn, such as those in boxes without a width. */
export function drawAll(): void {
  for (const draw of drawers) draw();
}

/** Forgets the pictures of a page that is replaced. */
export function forget(): void {
  observer.disconnect();
  drawers.clear();
  boxes = new WeakMap();
}

let boxes = new WeakMap<Element, (width: number) => void>();

const observer = new ResizeObserver((entries) => {
  for (const entry of entries) boxes.get(entry.target)?.(entry.contentRect.width);
});

function drawn(drawing: Drawing, width: number): ReturnType<typeof plot> {
  const { readOuts = [], along = "both", marks, ...options } = drawing;
  const place = { x: "x", y: "y", maxRadius: along === "both" ? 60 : Infinity } as const;
  const look = { title: "text", fill: "var(--raised)", stroke: "var(--line)", fontSize: 12, lineHeight: 1.25, textPadding: 7, lineWidth: 30 } as const;
  const over = readOuts.length > 0 ? [tip(readOuts, POINTERS[along]({ ...place, ...look }))] : [];
  return plot({ ...SHARED, width, ...options, marks: [...marks, ...over] });
}

/** A picture with its finding in words. */
export function chart(finding: string, drawing: (width: number) => Drawing): HTMLElement {
  const box = h("div", { class: "chart", role: "img", "aria-label": finding });
  let width = 0;
  const draw = (room: number): void => {
    if (room < 40 || Math.abs(room - width) < 1) return;
    width = room;
    const picture = drawn(drawing(width), width);
    // The box has the finding in words; the parts of the picture have nothing to add.
    picture.setAttribute("aria-hidden", "true");
    box.replaceChildren(picture);
  };
  boxes.set(box, draw);
  drawers.add(() => {
    if (width === 0) draw(PRINTED_WIDTH);
  });
  observer.observe(box);
  return box;
}
