//! What affects the figures of a server at a place.

photofinish_model::messages! { "figure";
    errors(kinds: Parts, rounds: InRounds)
        "errors: {kinds} ({rounds})",
        "错误：{kinds}（{rounds}）";
    overloaded(rounds: InRounds, offered: Rate, achieved: Rate)
        "overloaded ({rounds}): {offered} offered, {achieved} achieved; its response times measure a growing queue, and verdicts on them are invalid",
        "过载（{rounds}）：给定 {offered}，实际 {achieved}；其响应时间只反映越排越长的队列，相关结论无效";
    reference_held_back(rounds: Count, of: Rounds)
        "in {rounds} of {of} the load generator was the bottleneck for the reference server, which could do more: the shares are upper bounds",
        "在 {of}中的 {rounds} 轮里，负载发生器是参照服务器的瓶颈，它本可以更快：所列比例只是上界";
}
