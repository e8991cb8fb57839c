// What of the response times is the network's, beside the figures that include it.

import type { Context } from "../context";
import { h, spoken } from "../dom";
import type { Cell } from "../types";

/** How long an empty exchange takes, where load came over a network. */
export function network(context: Context, { network }: Cell): HTMLElement | null {
  return network ? h("p", { class: "network" }, spoken(context.say(network))) : null;
}
