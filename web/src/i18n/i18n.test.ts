import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { en } from "./en";
import { methodsEn, methodsZh } from "./methods";
import { zh } from "./zh";

const SRC = new URL("..", import.meta.url);

/** Every word of a catalogue with its path; of a function what it makes of a name, a number and a list. */
function texts(words: object, path = ""): [path: string, text: string][] {
  return Object.entries(words).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof value === "string") return [[at, value]];
    if (typeof value === "function") return [[at, said(value as (...parts: unknown[]) => string)]];
    return texts(value as object, at);
  });
}

/** What a sentence with arguments is for such that are Latin. */
function said(sentence: (...parts: unknown[]) => string): string {
  for (const part of ["name", 7, ["a", "b"]]) {
    try {
      const text = sentence(part, part, part, part);
      if (typeof text === "string" && !text.includes("undefined")) return text;
    } catch {
      // It takes another kind of arguments.
    }
  }
  throw new Error(`no arguments for ${String(sentence)}`);
}

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("i18n"))
  .map((name) => readFileSync(new URL(name, SRC), "utf8"))
  .join("\n");

describe("the words of the page", () => {
  it("are the same in both languages", () => {
    expect(texts(zh).map(([path]) => path)).toEqual(texts(en).map(([path]) => path));
  });

  it("are all used", () => {
    // Said by its section (`words.head.run`, `head.run`, `names.cpu` where a section has that name for short), or taken out of it.
    const isUsed = (path: string): boolean => {
      const [name = "", section = "words"] = path.split(".").reverse();
      const of = `(${section}|names${section === "words" ? "|words\\[language\\]" : ""})`;
      return new RegExp(`\\b${of}\\.${name}\\b|[{,] *${name}\\b[^;=]*\\} = (context\\.)?words|[{,] words: \\{ [^}]*${name}\\b|\\{ ([^}]*, )?${name}\\b[^}]*\\}: Context`).test(sources);
    };
    // Values of codes in the data are looked up by them.
    const byCode = /^(checkStatus|classes|capacity\.endings|time|windows\.metric|figures\.(throughput|p50|p99))\b/;
    const unused = texts(en).filter(([path]) => !byCode.test(path) && !isUsed(path));
    expect(unused.map(([path]) => path)).toEqual([]);
  });

  it("stand a space apart where Chinese and Latin meet", () => {
    const touching = /\p{Script=Han}[A-Za-z0-9±%`]|[A-Za-z0-9%`]\p{Script=Han}/u;
    const all = [...texts(zh), ...texts(methodsZh)];
    expect(all.filter(([, text]) => touching.test(text))).toEqual([]);
    expect(texts(methodsEn).length).toBe(texts(methodsZh).length);
  });
});
