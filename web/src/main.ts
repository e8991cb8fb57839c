import "./style/base.css";
import "./style/tables.css";
import "./style/sections.css";
import "./style/print.css";

import { drawAll } from "./charts/chart";
import { read } from "./data";
import { h } from "./dom";
import { type Language, words } from "./i18n";
import { Page } from "./page";

/** The language that the report was made in, or the browser's. */
function chosen(): Language {
  const made = document.documentElement.dataset["language"];
  if (made === "en" || made === "zh") return made;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

function start(): void {
  const root = document.getElementById("page");
  if (!root) return;
  const language = chosen();
  try {
    new Page(root, read(), language).draw();
  } catch (error) {
    root.replaceChildren(h("p", { role: "alert" }, words[language].broken + String(error)));
    throw error;
  }
  addEventListener("beforeprint", drawAll);
}

start();
