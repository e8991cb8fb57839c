//! Changes within measurements.

photofinish_model::messages! { "windows";
    all_flat()
        "No throughput shifted within a measurement.",
        "测量期间吞吐量均无突变。";
    changed(count: Count, of: Measurements)
        "{count} of {of} shifted or drifted within the measurement.",
        "{of}中有 {count} 次在测量期间发生突变或漂移。";
}
