//! Sweeps over one variable.

use photofinish_model::Place;

photofinish_model::messages! { "sweep";
    below(server: Name, place: Place, throughput: Rate, off: Percent, expected: Rate)
        "{server}, {place}: {throughput} is {off} below the {expected} expected from its other levels",
        "{server}，{place}：{throughput}，比按其他档位推断的 {expected}低 {off}";
    above(server: Name, place: Place, throughput: Rate, off: Percent, expected: Rate)
        "{server}, {place}: {throughput} is {off} above the {expected} expected from its other levels",
        "{server}，{place}：{throughput}，比按其他档位推断的 {expected}高 {off}";
    in_line()
        "No level is an outlier.",
        "没有离群的档位。";
    too_few_levels(needed: Count)
        "Fewer than {needed} levels: too few to find outliers.",
        "档位少于 {needed} 个：太少，无法找出离群的档位。";
}
