//! The network's share of response times.

photofinish_model::messages! { "network";
    /// How long an empty exchange between load generator and server takes: no response can be faster.
    empty_exchange(time: TimeRange)
        "network: each response time includes the way there and back; an empty exchange takes {time}",
        "网络：每个响应时间都包含往返路程；一次空交换需要 {time}";
    /// Next to the shortest median response time.
    share_of_median(time: TimeRange, share: Percent, server: Name)
        "network: each response time includes the way there and back; an empty exchange takes {time}: {share} of the median of {server}",
        "网络：每个响应时间都包含往返路程；一次空交换需要 {time}，是 {server} 的中位数的 {share}";
    /// A link carried about as much as it can.
    full_link(interface: Name, machine: Name, share: Percent, mbit_per_s: Count)
        "{interface} of {machine} carried about {share} of its {mbit_per_s} Mbit/s in one direction",
        "{machine} 的 {interface} 在一个方向上约用了其 {mbit_per_s} Mbit/s 的 {share}";
}
