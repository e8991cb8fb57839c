// Made from the Rust types of the same names in crates/report/src/html/data.rs, which say what each field means.
// Do not edit; to make it anew: UPDATE_TYPES=1 cargo test -p photofinish-report page_types

export type Data = { 
/**
 * The verdict and its tables as Markdown.
 */
summary: Words, 
/**
 * The figures of the elements with `data-series`.
 */
series: Array<ReadOuts>, 
/**
 * The names of series, each once.
 */
names: Array<Words>, 
/**
 * The flame graphs by their `data-flame`.
 */
flames: Array<FlameGraph>, 
/**
 * The words of what the script adds.
 */
words: ScriptWords, };

export type Words = string | [string, string];

export type ReadOuts = { 
/**
 * The place of its name among the names.
 */
name: number, values: ReadOutValues, };

export type ReadOutValues = Array<Words> | { from_s: Digits, step_s: Digits, values: Array<Digits | null>, is_time: boolean, };

export type FlameGraph = { 
/**
 * The caller of each frame; callers come before those that they call.
 */
callers: Array<number | null>, servers: Array<string>, 
/**
 * CPU time per request of each frame in microseconds, for each server.
 */
us: Array<Array<Digits>>, options: Array<FlameChoice>, first: number, };

export type FlameChoice = { name: Words, lead: Words, of: number, and: number | null, differences: Array<JudgedFrame>, };

export type JudgedFrame = [number, Digits, Digits | null, Digits | null, boolean];

export type Digits = number;

export type ScriptWords = { dark: Words, light: Words, copy_summary: Words, copy_table: Words, copy_image: Words, copying: Words, copied: Words, saved: Words, not_copied: Words, colon: Words, requests_per_second: Words, stacks_of: Words, search: Words, reset: Words, all: Words, frame: Words, frames: Words, of_cpu_time: Words, certain: Words, not_certain: Words, too_small: Words, values: Words, };
