//! What differs between two runs of a study.

use photofinish_model::Place;

photofinish_model::messages! { "difference";
    smoke()
        "a smoke run, which does not measure speed",
        "其中有冒烟运行，它不测量速度";
    backwards() "the second run is the earlier one", "第二次运行早于第一次";
    other_response(workload: Name, server: Name)
        "{workload}: the responses of {server} are not those of the run before",
        "{workload}：{server} 的响应与前一次运行不同";
    not_measured_later(place: Place, server: Name)
        "{place}: {server} was not measured in the later run",
        "{place}：后一次运行没有测到 {server}";
    not_measured_earlier(place: Place, server: Name)
        "{place}: {server} was not measured in the earlier run",
        "{place}：前一次运行没有测到 {server}";
    changed(what: Message, before: Message, after: Message)
        "{what}: before {before}; after {after}",
        "{what}：之前 {before}；之后 {after}";
    none() "none", "无";
    name(name: Name) "{name}", "{name}";
    names(names: Names) "{names}", "{names}";
    titles(titles: Parts) "{titles}", "{titles}";
    count(count: Count) "{count}", "{count}";
    bytes(size: Size) "{size}", "{size}";
    workloads(workloads: Clauses) "{workloads}", "{workloads}";
    workload(name: Name, request: Message, levels: Parts)
        "{name} ({request}) at {levels}",
        "{name}（{request}），{levels}";

    study() "study", "研究";
    pairs() "pairs of machines", "机器对";
    processor() "processor", "处理器";
    cores() "cores", "核数";
    server_cores() "cores of the servers", "被测服务器使用的核";
    generator_cores() "cores of the load generator", "负载发生器使用的核";
    memory() "memory", "内存";
    kernel() "kernel", "内核";
    operating_system() "operating system", "操作系统";
    governor() "governor", "CPU 调频策略";
    server_priority() "raised CPU priority of the servers", "被测服务器提高的 CPU 优先级";
    hypervisor() "hypervisor", "虚拟机管理程序";
    photofinish() "photofinish", "photofinish";
    commit() "commit", "提交";
    setting(name: Name) "setting `{name}`", "设置 `{name}`";
    command(server: Name) "command of {server}", "{server} 的命令";
    tool(tool: Name, server: Name) "{tool} of {server}", "{server} 的 {tool}";
    servers() "servers", "被测服务器";
    loads() "load", "负载";
    failed_checks() "failed checks", "未通过的检查";

    faster() "faster", "更快";
    slower() "slower", "更慢";
    higher() "higher", "更高";
    lower() "lower", "更低";
    tie() "tie", "打平";
    undecided() "undecided", "无法判定";
    invalid(reason: Message) "invalid: {reason}", "无效：{reason}";
}
