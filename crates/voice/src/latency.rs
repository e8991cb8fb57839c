//! Why distributions of response times are missing.

photofinish_model::messages! { "latency";
    not_there(file: Quoted)
        "{file} is missing",
        "没有 {file} 文件";
    unreadable(file: Quoted, error: Quoted)
        "{file} cannot be read: {error}",
        "无法读取 {file}：{error}";
    line(file: Quoted)
        "{file} has a line that is not in its format",
        "{file} 中有一行格式不对";
    entry(file: Quoted, tag: Quoted, error: Quoted)
        "{file}: the entry {tag} is not a histogram: {error}",
        "{file} 中的条目 {tag} 不是直方图：{error}";
}
