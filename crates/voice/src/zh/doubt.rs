//! What to doubt of a run.

use photofinish_model::finding::doubt::DoubtFinding;
use photofinish_model::units::{Unit, number, thousands};

use super::{check, load, verdict};

pub(crate) fn doubt(doubt: &DoubtFinding) -> String {
    match doubt {
        DoubtFinding::Smoke {} => "这是冒烟运行：只说明一切能跑通，不说明任何速度".to_owned(),
        DoubtFinding::Already { targets } => format!(
            "有 {targets} 个服务器事先已在运行，各轮之间没有重启：区间不含进程的偶然因素（内存布局、JIT），photofinish 也没有把它们绑定到核心"
        ),
        DoubtFinding::Checks { failed } => {
            let names: Vec<&str> = failed.iter().map(|name| check::failed(name)).collect();
            format!(
                "有 {} 项有效性检查未通过：{}",
                names.len(),
                names.join("；")
            )
        }
        DoubtFinding::Uneven {
            target,
            place,
            times,
        } => format!(
            "各轮差异很大：{}时 {target} 的吞吐量在各轮之间最多相差 {} 倍；机器繁忙，或者测量时间太短",
            load::place(place),
            number(*times)
        ),
        DoubtFinding::TwoGroups {
            target,
            place,
            groups,
        } => format!(
            "各轮分成两组：{}时 {}；它的比值取决于两组各有几轮",
            load::place(place),
            verdict::two_groups(target, groups)
        ),
        DoubtFinding::ShortSlices {
            target,
            place,
            waits_us,
            slice_us,
        } => format!(
            "时间片太短：{}时，到 {target} 的连接在时间片（{2}）结束时平均还要等待 {1}；用 `--sequential` 测量时，同时等待的连接可能更多",
            load::place(place),
            Unit::Microseconds.text(*waits_us),
            Unit::Microseconds.text(*slice_us)
        ),
        DoubtFinding::IfIndependent { verdicts, rounds } => format!(
            "有 {verdicts} 项结论仅当各轮相互独立时成立，而 {rounds} 轮看不出这一点：需要更多轮"
        ),
        DoubtFinding::WithinNoise { verdicts } => format!(
            "有 {verdicts} 项差别不超过噪声下限：这台机器在同一对象的两份副本之间也测出过这样大的差别"
        ),
        DoubtFinding::LeftOut { parts } => {
            format!("研究中有 {} 部分被略去", thousands(*parts as f64))
        }
        DoubtFinding::Gaps { measurements } => {
            format!("{} 次测量失败或缺失", thousands(*measurements as f64))
        }
    }
}
