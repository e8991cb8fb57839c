// A picture that fits its box: drawn again when the box changes, described in words to who cannot see it, read out under the
// pointer, under a finger, and by the arrow keys.

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

/** Says what the arrow keys read out of a picture to who cannot see it; one for the page, outside of what is drawn anew. */
const spoken = h("div", { class: "unseen", "aria-live": "polite" });

/** Draws anew all pictures that are not yet drawn, such as those in boxes without a width. */
export function drawAll(): void {
  for (const draw of drawers) draw();
}

/** Forgets the pictures of a page that is replaced. */
export function forget(): void {
  observer.disconnect();
  drawers.clear();
  spoken.textContent = "";
  boxes = new WeakMap();
}

let boxes = new WeakMap<Element, (width: number) => void>();

const observer = new ResizeObserver((entries) => {
  for (const entry of entries) boxes.get(entry.target)?.(entry.contentRect.width);
});

type Picture = ReturnType<typeof plot>;

function drawn(drawing: Drawing, width: number): Picture {
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
    const what = drawing(width);
    const picture = drawn(what, width);
    // The box has the finding in words; the parts of the picture have nothing to add.
    picture.setAttribute("aria-hidden", "true");
    box.replaceChildren(picture);
    keys = what.readOuts?.length ? new Keys(picture, what.readOuts) : null;
    if (keys) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  };
  let keys: Keys | null = null;
  box.addEventListener("keydown", (event) => {
    if (keys?.pressed(event.key)) event.preventDefault();
  });
  box.addEventListener("blur", () => keys?.leave());
  boxes.set(box, draw);
  drawers.add(() => {
    if (width === 0) draw(PRINTED_WIDTH);
  });
  observer.observe(box);
  return box;
}

/** The arrow keys go from one read-out of a picture to the next, as a pointer does that is moved there. */
class Keys {
  private at = -1;
  private readonly places: { x: number; y: number; text: string }[];

  constructor(
    private readonly picture: Picture,
    readOuts: ReadOut[],
  ) {
    const [x, y] = [picture.scale("x"), picture.scale("y")];
    this.places = readOuts
      .map((one) => ({ x: Number(x?.apply(one.x)), y: Number(y?.apply(one.y)), text: one.text }))
      .filter((place) => Number.isFinite(place.x) && Number.isFinite(place.y));
  }

  /** Whether the key meant something to the picture. */
  pressed(key: string): boolean {
    const to = this.next(key);
    if (to === null) return false;
    const place = this.places[to];
    if (!place) return false;
    this.at = to;
    const { left, top } = this.picture.getBoundingClientRect();
    this.point("pointermove", left + place.x, top + place.y);
    if (!spoken.isConnected) document.body.append(spoken);
    spoken.textContent = place.text;
    return true;
  }

  leave(): void {
    if (this.at >= 0) this.point("pointerleave", 0, 0);
    this.at = -1;
  }

  private next(key: string): number | null {
    const last = this.places.length - 1;
    switch (key) {
      case "ArrowRight":
      case "ArrowDown":
        return Math.min(last, this.at + 1);
      case "ArrowLeft":
      case "ArrowUp":
        return Math.max(0, this.at - 1);
      case "Home":
        return 0;
      case "End":
        return last;
      case "Escape":
        this.leave();
        return null;
      default:
        return null;
    }
  }

  private point(type: string, clientX: number, clientY: number): void {
    this.picture.dispatchEvent(new PointerEvent(type, { clientX, clientY, pointerType: "mouse" }));
  }
}
