// A picture that fits its box: drawn again when the box changes, told in words to who cannot see it.

import { type Markish, type PlotOptions, plot } from "@observablehq/plot";
import { h } from "../dom";

export interface Drawing extends PlotOptions {
  marks: Markish[];
}

/** Options that all pictures share. */
const SHARED = { style: { background: "none", color: "var(--ink)", fontSize: "12px", overflow: "visible" } } as const;

const PRINTED_WIDTH = 660;

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

/** A picture with its finding in words. */
export function chart(finding: string, drawing: (width: number) => Drawing): HTMLElement {
  const box = h("div", { class: "chart", role: "img", "aria-label": finding });
  let drawn = 0;
  const draw = (width: number): void => {
    if (width < 40 || Math.abs(width - drawn) < 1) return;
    drawn = width;
    const picture = plot({ ...SHARED, width, ...drawing(width) });
    // The box tells the finding; the parts of the picture have nothing to add.
    picture.setAttribute("aria-hidden", "true");
    box.replaceChildren(picture);
  };
  boxes.set(box, draw);
  drawers.add(() => {
    if (drawn === 0) draw(PRINTED_WIDTH);
  });
  observer.observe(box);
  return box;
}
