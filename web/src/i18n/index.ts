import { en, type Words } from "./en";
import { type Method, methodsEn, methodsZh } from "./methods";
import { zh } from "./zh";

export type Language = "en" | "zh";

export const words: Record<Language, Words> = { en, zh };

export const methods: Record<Language, Record<Method, { title: string; text: string[] }>> = {
  en: methodsEn,
  zh: methodsZh,
};

export type { Words };
export { METHODS, type Method } from "./methods";
