//! How far a run's figures may be trusted.

photofinish_model::messages! { "trust";
    quotable(checks: ValidityChecks)
        "quotable: {checks} passed",
        "可以引用：{checks}通过";
    quotable_partly(checks: ValidityChecks, partly: Count)
        "quotable: {checks} passed, {partly} made in part",
        "可以引用：{checks}通过，{partly} 项只做了一部分";
    no_checks() "not quotable: no validity check was made", "不可引用：没有做过任何有效性检查";
    with_care(worst: Message, others: Tail)
        "with care: {worst}{others}",
        "谨慎引用：{worst}{others}";
    not_quotable(worst: Message, others: Tail)
        "not quotable: {worst}{others}",
        "不可引用：{worst}{others}";
    also(others: Parts) "also: {others}", "此外：{others}";

    more_threads(server: Name, threads: Threads, cores: Cores)
        "{server} ran up to {threads} on {cores}: locks and thread pools may behave differently on more cores",
        "{server} 在 {cores}上最多运行 {threads}：在更多核上，锁与线程池的表现可能不同";

    // The grades by themselves.
    grade_quotable() "quotable", "可以引用";
    grade_with_care() "with care", "谨慎引用";
    grade_not_quotable() "not quotable", "不可引用";
}
