//! How throughput scales with connections: the Universal Scalability Law.

photofinish_model::messages! { "scaling";
    does_not_fit(server: Name, residual: Percent)
        "{server}: the law does not describe these figures (residual {residual})",
        "{server}：该定律不能描述这些数据（残差 {residual}）";
    no_peak(server: Name, largest: Count)
        "{server}: throughput has no peak up to {largest} connections",
        "{server}：直到 {largest} 个连接，吞吐量没有峰值";
    peak_unknown(server: Name)
        "{server}: the figures do not show a peak",
        "{server}：数据看不出峰值";
    peak_beyond(server: Name, connections: Count)
        "{server}: throughput would peak beyond the measured levels, at about {connections} connections",
        "{server}：吞吐量的峰值在所测负载之外，约 {connections} 个连接处";
    peak(server: Name, connections: Count, interval: CountBounds)
        "{server}: throughput peaks at about {connections} connections{interval}",
        "{server}：吞吐量在约 {connections} 个连接时达到峰值{interval}";
    /// A workload has too few levels of connections for a fit.
    too_few_levels(levels: Count, needed: Count)
        "No law is fitted: it needs {needed} levels of connections, and this run has {levels}.",
        "没有拟合：至少需要 {needed} 个连接数档位，这里只有 {levels} 个。";
    not_fitted(server: Name)
        "{server}: no law could be fitted to its figures",
        "{server}：其数据无法拟合";
}
