// What a script adds to the report, which is complete without it: read-outs, copying, switches of language and theme, and how a
// flame graph is walked.

import "./style/base.css";
import "./style/tables.css";
import "./style/sections.css";
import "./style/figures.css";
import "./style/print.css";

import { contents } from "./contents";
import { copying } from "./copy";
import { flames } from "./flame";
import { chooseLanguage, languageButton, setWords } from "./language";
import { readOuts } from "./readout";
import { scrolling } from "./scroll";
import { themeButton } from "./theme";
import type { Data } from "./types";
import { windows } from "./windows";

function start(): void {
  const data = JSON.parse(document.getElementById("data")?.textContent ?? "") as Data;
  setWords(data.words);
  chooseLanguage();
  const controls = document.querySelector(".controls");
  controls?.append(copying(data), themeButton(), languageButton());
  contents();
  windows(data);
  flames(data);
  readOuts(data);
  scrolling();
}

start();
