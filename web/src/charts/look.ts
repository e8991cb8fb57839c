// How a target looks: colour, mark and dash, so that targets differ by more than colour.

/** The names of colours in the style sheet: Okabe and Ito's, darker or lighter by theme. */
const COLOURS = 6;

const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross", "wye"] as const;

const DASHES = ["none", "7 3", "2 2", "9 3 2 3", "4 4", "12 3"] as const;

export interface Look {
  colour: string;
  symbol: (typeof SYMBOLS)[number];
  dash: string;
}

/** The look of a contender by its place among them. */
export function seriesLook(contender: number): Look {
  // Contenders beyond the colours repeat them with other marks and dashes.
  const turn = Math.floor(contender / COLOURS);
  return {
    colour: `var(--series-${(contender % COLOURS) + 1})`,
    symbol: SYMBOLS[(contender + turn) % SYMBOLS.length] ?? "circle",
    dash: DASHES[(contender + turn) % DASHES.length] ?? "none",
  };
}

export const INK = "var(--ink)";
export const MUTED = "var(--muted)";
export const GRID = "var(--grid)";
export const PAPER = "var(--paper)";

/** A target's second copy. */
export const COPY: Look = { colour: MUTED, symbol: "wye", dash: "1 3" };

/** The limit of the machine. */
export const LIMIT: Look = { colour: MUTED, symbol: "cross", dash: "12 4" };
