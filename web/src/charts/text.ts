// How much room words take in a picture, without asking the browser.

/** How wide text of this size is, about: enough to leave room for labels. */
export function textWidth(text: string, size = 12): number {
  let width = 0;
  for (const character of text) width += character.codePointAt(0)! > 0x2e80 || character === "%" ? size : size * 0.6;
  return width;
}

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
