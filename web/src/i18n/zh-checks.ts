// 诚实检查的中文：规则、不成立时意味着什么、结果如何。

import type { CheckStatus } from "../types";
import { thousands } from "../format";

export const checkTitles: Record<string, string> = {
  "littles-law": "利特尔法则：连接数 = 吞吐量 × 周期时间，误差不超过 5%",
  "generator-limit": "压测端不是瓶颈",
  errors: "没有错误，没有超时",
  steady: "稳定：测量期间没有突变",
  "same-job": "工作相同：所有对象返回相同的状态码和正文",
  "rows-as-answered": "表中的行数与成功应答的请求数一致",
  "quiet-machine": "机器安静",
  "fresh-and-interleaved": "进程全新，各对象按随机顺序交错进行",
  "noise-floor": "尺子已校准：A/A 对照给出本机的噪声下限",
  bytes: "字节数吻合：线上字节数 = 响应数 × 每个响应的字节数",
};

const checkMeanings: Record<string, string> = {
  "littles-law": "吞吐量与响应时间互相矛盾：有连接空闲或丢失，或者其中一个数字是错的",
  "generator-limit": "这些数字反映的可能是本机的压测端，而不是服务器：请给压测端更多核，或者降低负载",
  errors: "吞吐量只计正确的响应；失败的请求按其已等待的时间计入响应时间",
  steady: "服务器在测量期间仍在变化：平均值混合了两种状态",
  "same-job": "各对象做的工作不同，速度无法比较",
  "rows-as-answered": "服务器声称做完的事并没有做，或者做了两次：其数字不是这项工作的数字",
  "quiet-machine": "有其他程序占用了机器：差异可能由它造成",
  "fresh-and-interleaved": "机器的缓慢变化或某个服务器的历史，可能被误认为对象之间的差异",
  "noise-floor": "在这台机器上，同一对象与自身的差异就超出应有的范围：小的差异没有意义",
  bytes: "计入了字节数不足一个完整响应的请求，或者有字节不属于任何请求",
};

/** 一条规则的结果，由其数字组成。 */
export const checkSays = (check: {
  name: string;
  status: CheckStatus;
  checked: number;
  of: number;
  failing: number;
}): string => {
  switch (check.status) {
    case "ok":
      return `成立：检查了 ${thousands(check.checked)} 处`;
    case "failed":
      return `${thousands(check.checked)} 处中有 ${thousands(check.failing)} 处不成立：${checkMeanings[check.name] ?? "见 docs/methods.md"}`;
    case "partly":
      return `在检查过的地方成立：${thousands(check.of)} 处中检查了 ${thousands(check.checked)} 处`;
    case "not-checked":
      return "尚未检查";
  }
};

/** 程序以英文记录的、未检查的原因。 */
export const reasons: Record<string, string> = {
  "no A/A pair in this study: run with --aa": "本研究没有 A/A 对照：运行时请加 --aa",
  "a smoke run tells no noise": "冒烟运行测不出噪声",
  "an A/A pair needs two rounds that both copies have": "A/A 对照需要两份副本都有的至少两轮",
  "an open loop has no fixed number in flight": "开环没有固定的在途请求数",
  "no request came to an end": "没有任何请求结束",
  "the machine was not sampled": "没有对机器采样",
  "the bytes of an answer are not stated": "没有说明一个响应的字节数",
  "nobody can tell the bytes of requests that failed": "失败的请求有多少字节无从得知",
  "no other target has answered": "没有其他对象作出应答",
};
