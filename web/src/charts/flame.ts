// A flame graph: frames as boxes, callers below those that they call, as wide as their CPU time. It is clicked to zoom, searched, and
// walked with the arrow keys.

import { h } from "../dom";
import { fit } from "./text";

/** A frame; callers stand before those that they call. */
export interface Frame {
  caller: number | null;
  name: string;
  /** What makes it wide. */
  width: number;
  fill: string;
  /** What is said of it. */
  says: string;
}

export interface FlameWords {
  /** The name of the picture. */
  name: string;
  search: string;
  reset: string;
  /** How the keys work. */
  keys: string;
  found: (share: string, count: number) => string;
}

const ROW = 19;
const SVG = "http://www.w3.org/2000/svg";

/** Frames that are less wide are not drawn. */
const LEAST = 0.6;

/** A frame's names stand where there is so much room. */
const NAMED = 34;

interface Box {
  frame: number;
  x: number;
  width: number;
  depth: number;
}

export function flame(frames: Frame[], words: FlameWords, percent: (share: number) => string): HTMLElement {
  const called = frames.map((): number[] => []);
  frames.forEach(({ caller }, frame) => {
    if (caller !== null) called[caller]?.push(frame);
  });
  for (const list of called) list.sort((a, b) => frames[a]!.name.localeCompare(frames[b]!.name));
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("aria-hidden", "true");
  const box = h("div", { class: "flame", tabindex: 0, role: "group", "aria-label": `${words.name}. ${words.keys}` });
  box.append(picture);
  const status = h("p", { class: "flame-says", "aria-live": "polite" });
  const found = h("span", { class: "flame-found", role: "status" });
  const search = h("input", { type: "search", "aria-label": words.search, placeholder: words.search, maxlength: 200 });
  const reset = h("button", { type: "button" }, words.reset);
  let root = 0;
  let chosen = 0;
  let width = 0;
  let boxes: Box[] = [];

  const matches = (frame: number): boolean => search.value !== "" && frames[frame]!.name.toLowerCase().includes(search.value.toLowerCase());

  const place = (): void => {
    boxes = [];
    const callers: number[] = [];
    for (let at = frames[root]!.caller; at !== null; at = frames[at]!.caller) callers.unshift(at);
    callers.forEach((frame, depth) => boxes.push({ frame, x: 0, width, depth }));
    const all = frames[root]!.width;
    const put = (frame: number, x: number, depth: number): void => {
      const wide = all > 0 ? (frames[frame]!.width / all) * width : 0;
      if (wide < LEAST) return;
      boxes.push({ frame, x, width: wide, depth });
      let left = x;
      for (const other of called[frame]!) {
        put(other, left, depth + 1);
        left += all > 0 ? (frames[other]!.width / all) * width : 0;
      }
    };
    put(root, 0, callers.length);
  };

  const draw = (): void => {
    place();
    const depth = Math.max(...boxes.map((one) => one.depth)) + 1;
    const height = depth * ROW;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) picture.setAttribute(name, String(value));
    picture.replaceChildren(
      ...boxes.map((one) => {
        const { name, fill } = frames[one.frame]!;
        const y = height - (one.depth + 1) * ROW;
        const group = document.createElementNS(SVG, "g");
        const rect = document.createElementNS(SVG, "rect");
        const look = { x: one.x, y: y + 0.5, width: Math.max(0.5, one.width - 0.8), height: ROW - 1, rx: 1.5, fill: matches(one.frame) ? "var(--found)" : fill };
        for (const [attribute, value] of Object.entries(look)) rect.setAttribute(attribute, String(value));
        if (one.depth < boxes.findIndex((other) => other.frame === root)) rect.setAttribute("opacity", "0.55");
        group.dataset["frame"] = String(one.frame);
        if (one.frame === chosen) group.setAttribute("class", "chosen");
        group.append(rect);
        if (one.width >= NAMED) {
          const text = document.createElementNS(SVG, "text");
          text.setAttribute("x", String(one.x + 4));
          text.setAttribute("y", String(y + ROW - 6));
          text.textContent = fit(name, one.width - 8, 11);
          group.append(text);
        }
        return group;
      }),
    );
  };

  const say = (frame: number): void => {
    status.textContent = frames[frame]!.says;
  };

  const choose = (frame: number): void => {
    picture.querySelector(".chosen")?.removeAttribute("class");
    chosen = frame;
    picture.querySelector(`[data-frame="${frame}"]`)?.setAttribute("class", "chosen");
    say(frame);
  };

  const zoom = (frame: number): void => {
    root = frame;
    chosen = frame;
    draw();
    say(frame);
  };

  /** The frame that the pointer is on. */
  const under = (event: Event): number | null => {
    const group = event.target instanceof Element ? event.target.closest<SVGGElement>("[data-frame]") : null;
    return group ? Number(group.dataset["frame"]) : null;
  };

  const step = (key: string): number | undefined => {
    const at = boxes.find((one) => one.frame === chosen);
    if (!at) return root;
    const drawn = (frame: number): boolean => boxes.some((one) => one.frame === frame);
    if (key === "ArrowDown") return frames[chosen]!.caller ?? chosen;
    if (key === "ArrowUp") {
      const next = boxes.filter((one) => frames[one.frame]!.caller === chosen).sort((a, b) => b.width - a.width)[0];
      return next && drawn(next.frame) ? next.frame : chosen;
    }
    const row = boxes.filter((one) => one.depth === at.depth).sort((a, b) => a.x - b.x);
    const next = row[row.indexOf(at) + (key === "ArrowRight" ? 1 : -1)];
    return next?.frame ?? chosen;
  };

  box.addEventListener("keydown", (event) => {
    if (["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(event.key)) choose(step(event.key) ?? root);
    else if (event.key === "Enter") zoom(chosen);
    else if (event.key === "Escape") zoom(frames[root]!.caller ?? 0);
    else return;
    event.preventDefault();
  });
  box.addEventListener("focus", () => say(chosen));
  box.addEventListener("click", (event) => {
    const frame = under(event);
    if (frame !== null) zoom(frame);
  });
  box.addEventListener("pointermove", (event) => {
    const frame = under(event);
    if (frame !== null) say(frame);
  });
  box.addEventListener("pointerleave", () => say(chosen));
  reset.addEventListener("click", () => {
    search.value = "";
    found.textContent = "";
    zoom(0);
  });
  search.addEventListener("input", () => {
    draw();
    // What is called from a match counts with it.
    const isIn = frames.map(() => false);
    let sum = 0;
    let count = 0;
    frames.forEach(({ caller, width }, frame) => {
      const inside = caller !== null && isIn[caller]!;
      const match = matches(frame);
      isIn[frame] = inside || match;
      if (match) count += 1;
      if (match && !inside) sum += width;
    });
    found.textContent = search.value === "" ? "" : words.found(percent(frames[0]!.width > 0 ? sum / frames[0]!.width : 0), count);
  });

  new ResizeObserver(([entry]) => {
    const room = Math.floor(entry?.contentRect.width ?? 0);
    if (room < 40 || room === width) return;
    width = room;
    draw();
  }).observe(box);
  say(0);
  return h("div", { class: "flame-graph" }, h("div", { class: "flame-tools" }, search, reset, found), box, status);
}
