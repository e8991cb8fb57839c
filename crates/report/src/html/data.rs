//! What the page's script is given: what to read out at each mark, and flame graphs.
//!
//! `web/src/types.ts` is made from these types by `ts-rs`; the test below fails if it is stale.

use photofinish_judge::page::FrameDifference;
use photofinish_model::text::clean_lines;
use photofinish_voice::Language;
use serde::{Serialize, Serializer};
#[cfg(test)]
use ts_rs::TS;

use crate::figure::{Flame, FlameOption, Series, Values};
use crate::words::Text;

/// All of it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub(super) struct Data {
    /// The verdict and its tables as Markdown.
    summary: Words,
    /// The figures of the elements with `data-series`.
    series: Vec<ReadOuts>,
    /// The names of series, each once.
    names: Vec<Words>,
    /// The flame graphs by their `data-flame`.
    flames: Vec<FlameGraph>,
    /// The words of what the script adds.
    words: ScriptWords,
}

/// Words that are the same in both languages, or English and Chinese.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(TS), ts(untagged))]
pub(super) enum Words {
    Same(String),
    Both([String; 2]),
}

/// What is read out at the marks of a group, or at the points of its path, in their order.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub(super) struct ReadOuts {
    /// The place of its name among the names.
    name: usize,
    values: ReadOutValues,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(TS), ts(untagged))]
pub(super) enum ReadOutValues {
    Texts(Vec<Words>),
    /// Values at regular times: microseconds, or requests per second. A time without a value has no place in the drawing.
    Regular {
        from_s: Digits,
        step_s: Digits,
        values: Vec<Option<Digits>>,
        is_time: bool,
    },
}

/// Stacks of calls; the names of frames are in the drawing.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub(super) struct FlameGraph {
    /// The caller of each frame; callers come before those that they call.
    callers: Vec<Option<usize>>,
    servers: Vec<String>,
    /// CPU time per request of each frame in microseconds, for each server.
    us: Vec<Vec<Digits>>,
    options: Vec<FlameChoice>,
    first: usize,
}

/// A server's stacks, or how two servers differ.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub(super) struct FlameChoice {
    name: Words,
    lead: Words,
    of: usize,
    and: Option<usize>,
    differences: Vec<JudgedFrame>,
}

/// A judged difference: the frame, by how much the second server spends more, the ends of the interval, and whether it is certain.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(TS))]
pub(super) struct JudgedFrame(usize, Digits, Option<Digits>, Option<Digits>, bool);

/// A number with the digits that the page shows, and one more.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(TS))]
pub(super) struct Digits(f64);

impl Serialize for Digits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Below this every whole number is one to JavaScript too.
        const EXACT: f64 = 9e15;
        let rounded: f64 = format!("{:.4e}", self.0).parse().unwrap_or(self.0);
        match rounded.fract() == 0.0 && rounded.abs() < EXACT {
            true => serializer.serialize_i64(rounded as i64),
            false => serializer.serialize_f64(rounded),
        }
    }
}

macro_rules! script_words {
    ($($name:ident $en:literal, $zh:literal;)+) => {
        /// The words of what the script adds.
        #[derive(Debug, Serialize)]
        #[cfg_attr(test, derive(TS))]
        pub(super) struct ScriptWords {
            $($name: Words,)+
        }

        fn script_words() -> ScriptWords {
            ScriptWords {
                $($name: Words::from(&Text::both($en, $zh)),)+
            }
        }
    };
}

script_words! {
    dark "Dark", "深色";
    light "Light", "浅色";
    copy_summary "Copy Markdown", "复制 Markdown";
    copy_table "Copy Markdown", "复制 Markdown";
    copy_image "Copy image", "复制图片";
    copying "Copying…", "正在复制…";
    copied "Copied", "已复制";
    saved "Saved", "已保存";
    not_copied "Not copied", "未能复制";
    colon ": ", "：";
    requests_per_second " requests/s", " 请求/秒";
    stacks_of "Stacks of", "调用栈：";
    search "Search functions", "搜索函数";
    reset "All", "全部";
    all "all", "全部";
    frame "frame", "个方块";
    frames "frames", "个方块";
    of_cpu_time "of the CPU time", "的 CPU 时间";
    certain "certain", "确定";
    not_certain "not certain", "不确定";
    too_small "too small to be judged", "太小，不作判断";
    values "Each window", "每个窗口";
}

impl Data {
    pub(super) fn new(summary: [String; 2]) -> Data {
        Data {
            summary: Words::Both(summary),
            series: Vec::new(),
            names: Vec::new(),
            flames: Vec::new(),
            words: script_words(),
        }
    }

    /// Adds a series, and returns its place; `None` for one that its row describes.
    pub(super) fn series(&mut self, series: &Series) -> Option<usize> {
        let values = match &series.values {
            Values::Row => return None,
            Values::Texts(texts) => ReadOutValues::Texts(texts.iter().map(Words::from).collect()),
            Values::Regular {
                from_s,
                step_s,
                values,
                is_time,
            } => ReadOutValues::Regular {
                from_s: Digits(*from_s),
                step_s: Digits(*step_s),
                values: values.iter().map(|value| value.map(Digits)).collect(),
                is_time: *is_time,
            },
        };
        let name = Words::from(&series.name);
        let known = self.names.iter().position(|known| *known == name);
        let name = known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        });
        self.series.push(ReadOuts { name, values });
        Some(self.series.len() - 1)
    }

    /// Adds a flame graph, and returns its place.
    pub(super) fn flame(&mut self, flame: &Flame) -> usize {
        let us = flame.us.iter();
        self.flames.push(FlameGraph {
            callers: flame.callers.clone(),
            servers: flame.servers.iter().map(|name| clean_lines(name)).collect(),
            us: us
                .map(|all| all.iter().copied().map(Digits).collect())
                .collect(),
            options: flame.options.iter().map(FlameChoice::from).collect(),
            first: flame.first,
        });
        self.flames.len() - 1
    }
}

impl From<&FlameOption> for FlameChoice {
    fn from(option: &FlameOption) -> FlameChoice {
        let judged = |it: &FrameDifference| {
            let end = |at: usize| it.ends_us.map(|ends| Digits(ends[at]));
            JudgedFrame(it.frame, Digits(it.more_us), end(0), end(1), it.is_sure)
        };
        FlameChoice {
            name: Words::from(&option.name),
            lead: Words::from(&option.lead),
            of: option.of,
            and: option.and,
            differences: option.differences.iter().map(judged).collect(),
        }
    }
}

impl From<&Text> for Words {
    fn from(text: &Text) -> Words {
        let [en, zh] = Language::ALL.map(|language| clean_lines(&text.text(language)));
        match en == zh {
            true => Words::Same(en),
            false => Words::Both([en, zh]),
        }
    }
}

#[test]
fn page_types_on_disk_are_those_of_the_code() {
    let config = ts_rs::Config::default();
    let declared = [
        Data::decl(&config),
        Words::decl(&config),
        ReadOuts::decl(&config),
        ReadOutValues::decl(&config),
        FlameGraph::decl(&config),
        FlameChoice::decl(&config),
        JudgedFrame::decl(&config),
        Digits::decl(&config),
        ScriptWords::decl(&config),
    ];
    let generated = declared
        .map(|declared| format!("\nexport {declared}\n"))
        .concat();
    let head = "// Made from the Rust types of the same names in crates/report/src/html/data.rs, which say what each field means.\n\
                // Do not edit; to make it anew: UPDATE_TYPES=1 cargo test -p photofinish-report page_types\n";
    let generated = format!("{head}{generated}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/types.ts");
    if std::env::var_os("UPDATE_TYPES").is_some() {
        std::fs::write(path, &generated).expect("web/src can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        found == generated,
        "web/src/types.ts is not what the Rust types say; make it anew with\n\
         UPDATE_TYPES=1 cargo test -p photofinish-report page_types\n\
         and build the page anew (see web/README.md)"
    );
}
