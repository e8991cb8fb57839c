// How much room words take in a picture, without asking the browser.

/** How wide text of this size is, about: enough to leave room for labels. */
export function textWidth(text: string, size = 12): number {
  let width = 0;
  for (const character of text) width += character.codePointAt(0)! > 0x2e80 || character === "%" ? size : size * 0.6;
  return width;
}

/** A label of a point, by where the point lies, in pixels. */
export interface Label {
  text: string;
  x: number;
  y: number;
  anchor: "start" | "middle" | "end";
}

/** Which labels stand, and how far below their points (above where negative): none on another. One that says the same as the one
 * in its way is left out; else it goes below its point where there is room. */
export function placed<L extends Label>(labels: L[], height: number, size = 11): { label: L; dy: number }[] {
  const kept: { label: L; dy: number; left: number; right: number; middle: number }[] = [];
  for (const label of labels) {
    const width = textWidth(label.text, size);
    const left = label.x - { start: 0, middle: width / 2, end: width }[label.anchor];
    const inWay = (dy: number) =>
      kept.filter((other) => left < other.right + APART && left + width + APART > other.left && Math.abs(label.y + dy - other.middle) < size + 2);
    const isSaid = kept.some((other) => other.label.text === label.text && other.left < left + width && left < other.right && Math.abs(other.label.y - label.y) < 20);
    const dy = [-ASIDE, ASIDE + 1].find((dy) => inWay(dy).length === 0 && label.y + dy < height - size / 2);
    if (isSaid || dy === undefined) continue;
    kept.push({ label, dy, left, right: left + width, middle: label.y + dy });
  }
  return kept;
}

const ASIDE = 11;
const APART = 4;

/** Lines of at most so many pixels each, broken between words; with an ellipsis where a word or what is left is longer than a line. */
export function wrapped(text: string, pixels: number, size = 12, most = Infinity): string[] {
  const lines: string[] = [];
  // Chinese may be broken between any two characters, except before punctuation.
  for (const part of text.match(/[\p{Script=Han}][^\p{Script=Han}\s\w]*|[^\s\p{Script=Han}]+|\s+/gu) ?? []) {
    const longer = `${lines.at(-1) ?? ""}${part}`;
    const isSame = lines.length > 0 && (lines.length >= most || textWidth(longer.trimEnd(), size) <= pixels);
    if (isSame) lines[lines.length - 1] = longer;
    else if (part.trim() !== "") lines.push(part);
  }
  return lines.map((line) => fit(line.trimEnd(), pixels, size));
}

/** At most so many pixels of text, with an ellipsis where some is cut off. */
export function fit(text: string, pixels: number, size = 12): string {
  if (textWidth(text, size) <= pixels) return text;
  let kept = "";
  for (const character of text) {
    if (textWidth(`${kept}${character}…`, size) > pixels) break;
    kept += character;
  }
  return `${kept}…`;
}
