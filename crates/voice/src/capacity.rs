//! Searches for the highest rate that a server sustains.

photofinish_model::messages! { "capacity";
    // What a search found.
    between(held: PerSecond, objective: Name, failed: PerSecond)
        "{held} meets '{objective}'; {failed} does not",
        "{held} 满足 '{objective}'；{failed} 不满足";
    at_least(held: PerSecond, objective: Name)
        "At least {held} meets '{objective}'; no rate was found that does not",
        "至少 {held} 满足 '{objective}'；没有找到不满足的速率";
    none_meets(objective: Name, lowest: PerSecond)
        "No rate meets '{objective}', down to {lowest}",
        "没有速率满足 '{objective}'，最低试到 {lowest}";
    nothing_measured(objective: Name)
        "No rate was measured against '{objective}'",
        "没有任何速率按 '{objective}' 测量过";
    setting(connections: Connections, steps: Count)
        "{connections}, {steps} rates tried",
        "{connections}，试过 {steps} 个速率";
    doubts(doubts: Clauses) "{doubts}", "{doubts}";
    trial_sustains(rate: PerSecond) "sustains {rate}", "能承受 {rate}";
    trial_sustains_at_least(rate: PerSecond, why: Message)
        "sustains at least {rate}: {why}",
        "至少能承受 {rate}：{why}";
    trial_none() "no rate meets the objective", "没有速率满足目标";
    trial_none_down_to(lowest: PerSecond)
        "no rate meets the objective down to {lowest}",
        "没有速率满足目标，最低试到 {lowest}";
    percentile(name: Name, time: Time) "{name} {time}", "{name} {time}";
    rate_failed(rate: PerSecond, why: Message) "{rate}: {why}", "{rate}：{why}";

    // Why a rate does not meet an objective.
    not_achieved(share: Percent)
        "achieved {share} of the offered rate",
        "只达到给定速率的 {share}";
    no_response() "no request was completed", "没有请求完成";
    errors(share: Percent) "{share} errors", "{share} 错误";

    // Why a server may sustain more.
    generator_busy()
        "the load generator was the bottleneck at the rate that failed; give it more cores",
        "在不满足目标的速率下，瓶颈是负载发生器；请给它更多核";
    generator_busy_threads()
        "the load generator was the bottleneck at the rate that failed; give it more cores (--threads)",
        "在不满足目标的速率下，瓶颈是负载发生器；请给它更多核（--threads）";
    no_higher_rate() "no higher rate was tried", "没有试过更高的速率";
    out_of_steps()
        "the search had made all of its steps and no rate had failed",
        "搜索已用完步数，还没有遇到不满足目标的速率";
    out_of_steps_flag()
        "the search had made all of its steps and no rate had failed (--max-steps)",
        "搜索已用完步数，还没有遇到不满足目标的速率（--max-steps）";
    out_of_time()
        "the search ran out of time and no rate had failed",
        "搜索已用完时间，还没有遇到不满足目标的速率";
    out_of_time_flag()
        "the search ran out of time and no rate had failed (--max-time)",
        "搜索已用完时间，还没有遇到不满足目标的速率（--max-time）";
    interrupted()
        "the search was interrupted and no rate had failed",
        "搜索被中断，还没有遇到不满足目标的速率";
}

/// The searches of a race, over the rounds.
pub mod sustained {
    photofinish_model::messages! { "sustained";
        sustains(rate: Message, objective: Name)
            "sustains {rate} at {objective}",
            "在 {objective} 下能承受 {rate}";
        sustains_at_least(rate: Message, objective: Name)
            "sustains at least {rate} at {objective}",
            "在 {objective} 下能承受至少 {rate}";
        but_none_in(sustains: Message, rounds: InRounds)
            "{sustains}, but no rate met it in {rounds}",
            "{sustains}，但{rounds}中没有速率满足目标";
        rate(mean: RoughRate, interval: RateBounds) "{mean}{interval}", "{mean}{interval}";
        rate_range(low: Figure, high: RoughRate) "{low} … {high}", "{low} … {high}";
        none_holds(objective: Name)
            "did not meet {objective} at any rate",
            "在任何速率下都不满足 {objective}";
        none_holds_down_to(objective: Name, lowest: RoughRate)
            "did not meet {objective} at any rate, down to {lowest}",
            "在任何速率下都不满足 {objective}，最低试到 {lowest}";
        in_round(round: Number, found: Message) "round {round}: {found}", "第 {round} 轮：{found}";
        lower_bound(rate: RoughRate, why: Message)
            "{rate} is a lower bound: {why}",
            "{rate} 只是下限：{why}";
        ended_early(how: Message, held: RoughRate, failed: RoughRate)
            "the search {how}: the limit is between {held} and {failed}",
            "搜索{how}：上限在 {held} 与 {failed} 之间";
        none_held(failed: RoughRate, why: Message, ended: Tail)
            "no rate met the objective at {failed}: {why}{ended}",
            "没有速率满足目标（{failed}）：{why}{ended}";
        none_held_untried(ended: Tail)
            "no rate met the objective: none was tried{ended}",
            "没有速率满足目标：没有试过任何速率{ended}";
        the_search(how: Message) "the search {how}", "搜索{how}";
        too_noisy(late: Time)
            "the machine was too noisy for the objective: at the rate that failed a thread that only sleeps woke up {late} late (p99); try again when it is quiet",
            "机器上的干扰太大，不足以检验该目标：在不满足目标的速率下，一个只休眠的线程晚醒 {late}（p99）；请在干扰较少时重试";

        // How a search ended.
        ended() "ended", "已结束";
        ended_at_floor()
            "ended there because it was about the same at twice the rate",
            "到此为止，因为速率加倍时它也大致相同";
        ended_all_wrong()
            "ended there because every response was wrong",
            "到此为止，因为所有响应都不对";
        made_all_steps() "made all of its steps", "用完了步数";
        made_all_steps_flag() "made all of its steps (--max-steps)", "用完了步数（--max-steps）";
        ran_out_of_time() "ran out of time", "用完了时间";
        ran_out_of_time_flag() "ran out of time (--max-time)", "用完了时间（--max-time）";
        was_interrupted() "was interrupted", "被中断";
    }
}

use photofinish_model::capacity::Found;
use photofinish_model::finding::capacity::{Broken, LowerBound};

/// Returns why a rate does not meet an objective.
pub fn broken(why: &Broken) -> Message {
    match why {
        Broken::NotAchieved { ratio } => not_achieved(*ratio),
        Broken::NoResponse {} => no_response(),
        Broken::Errors { share } => errors(*share),
        Broken::Time { figure, us } => percentile(figure, *us),
    }
}

/// Returns why a server may sustain more than was found. `alone`: of a search by itself, whose flags may raise the bound.
pub fn lower_bound(why: LowerBound, alone: bool) -> Message {
    match (why, alone) {
        (LowerBound::GeneratorBusy, false) => generator_busy(),
        (LowerBound::GeneratorBusy, true) => generator_busy_threads(),
        (LowerBound::NoHigherRate, _) => no_higher_rate(),
        (LowerBound::Steps, false) => out_of_steps(),
        (LowerBound::Steps, true) => out_of_steps_flag(),
        (LowerBound::Time, false) => out_of_time(),
        (LowerBound::Time, true) => out_of_time_flag(),
        (LowerBound::Interrupted, _) => interrupted(),
    }
}

/// Returns what a trial's search found, in a few words.
pub fn trial(found: &Found) -> Message {
    match (found.sustained_rps, found.failed_rps, found.lower_bound()) {
        (None, None, _) => trial_none(),
        (None, Some(lowest), _) => trial_none_down_to(lowest),
        (Some(held), _, None) => trial_sustains(held),
        (Some(held), _, Some(why)) => trial_sustains_at_least(held, lower_bound(why, false)),
    }
}
