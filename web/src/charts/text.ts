// How much room words take in a picture, without asking the browser.

/** How wide text of this size is, about: enough to leave room for labels. */
export function textWidth(text: string, size = 12): number {
  let width = 0;
  for (const character of text) width += character.codePointAt(0)! > 0x2e80 ? size : size * 0.6;
  return width;
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
