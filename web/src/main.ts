import "./style/base.css";
import "./style/tables.css";
import "./style/sections.css";
import "./style/print.css";

import { drawAll } from "./charts/chart";
import { read } from "./data";
import { h } from "./dom";
import { type Language, words } from "./i18n";
import { Page } from "./page";

function start(): void {
  const root = document.getElementById("page");
  if (!root) return;
  const language: Language = document.documentElement.dataset["language"] === "zh" ? "zh" : "en";
  try {
    new Page(root, read(), language).draw();
  } catch (error) {
    root.replaceChildren(h("p", { role: "alert" }, words[language].broken + String(error)));
    throw error;
  }
  addEventListener("beforeprint", drawAll);
}

start();
