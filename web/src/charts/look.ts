// How a target looks: colour, mark and dash, so that no two are told apart by colour alone.

/** The names of colours in the style sheet: Okabe and Ito's, darker or lighter by theme. */
const COLOURS = 6;

const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "cross", "wye"] as const;

const DASHES = ["none", "7 3", "2 2", "9 3 2 3", "4 4", "12 3"] as const;

export interface Look {
  colour: string;
  symbol: (typeof SYMBOLS)[number];
  dash: string;
}

export function look(target: number): Look {
  // Targets beyond the colours repeat them with other marks and dashes.
  const turn = Math.floor(target / COLOURS);
  return {
    colour: `var(--series-${(target % COLOURS) + 1})`,
    symbol: SYMBOLS[(target + turn) % SYMBOLS.length] ?? "circle",
    dash: DASHES[(target + turn) % DASHES.length] ?? "none",
  };
}

export const INK = "var(--ink)";
export const MUTED = "var(--muted)";
export const GRID = "var(--grid)";
export const PAPER = "var(--paper)";
