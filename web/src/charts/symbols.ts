// The outlines of marks, as the charts draw them.

import * as shape from "d3-shape";
import type { Look } from "./look";

const SHAPES: Record<Look["symbol"], shape.SymbolType> = {
  circle: shape.symbolCircle,
  square: shape.symbolSquare,
  triangle: shape.symbolTriangle,
  diamond: shape.symbolDiamond,
  star: shape.symbolStar,
  cross: shape.symbolCross,
  wye: shape.symbolWye,
};

/** The path of a mark with this area. */
export function symbolPath(symbol: Look["symbol"], area: number): string {
  return shape.symbol(SHAPES[symbol], area)() ?? "";
}
