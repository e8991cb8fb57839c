//! `[service.NAME]` and the keys of a workload that concern one.

use super::{mistakes_in, read_study, study};
use crate::plan::ServiceKind;
use crate::{RunFlags, resolve};

const DB: &str = "[service.db]\nkind = \"mariadb\"\nschema = \"schemas/item.mariadb.sql\"\n";

/// A study with services, whose only workload has further lines.
fn with(services: &str, workload: &str) -> String {
    format!("{}\n{services}", study("", workload, ""))
}

#[test]
fn a_service_is_read_in_full() {
    let text = with(
        "[service.db]\nkind = \"mariadb\"\nversion = \">=10.6\"\ntargets = [\"quarkus\"]\n\
         url = \"mariadb://me:p%40ss@db.example:3307/shop\"\nrows = { item = 0 }\n\
         schema = [\"schemas/item.mariadb.sql\", \"schemas/item-rows.mariadb.sql\"]\n",
        "targets = [\"quarkus\"]\nbefore = \"schemas/item-rows.mariadb.sql\"\n\
         count-after = { table = \"item\", equals = \"responses\" }",
    );
    let plan = read_study(&text).expect("it is right");
    let service = &plan.services[0];
    assert_eq!((&*service.name, service.kind), ("db", ServiceKind::Mariadb));
    assert!(service.version.allows("10.11.5") && !service.version.allows("10.5"));
    let url = service.url.as_ref().expect("a url");
    assert_eq!((url.port, url.password.expose().as_str()), (3307, "p@ss"));
    assert_eq!(format!("{url:?}"), "ServiceUrl(me@db.example:3307/shop)");
    assert_eq!(service.schema.len(), 2);
    assert!(service.schema[0].text.contains("CREATE TABLE item"));
    assert_eq!(service.rows["item"], 0);
    assert!(service.is_for("quarkus") && !service.is_for("event-loop"));
    let workload = &plan.workloads[0];
    let before = workload.before.as_ref().expect("before");
    assert_eq!(before.service, "db");
    assert!(before.sql.name.ends_with("schemas/item-rows.mariadb.sql"));
    let count = workload.count_after.as_ref().expect("count-after");
    assert_eq!((&*count.service, &*count.table), ("db", "item"));
}

#[test]
fn what_only_left_out_targets_need_is_left_out() {
    let text = format!("{}{DB}targets = [\"quarkus\"]\n", with("", ""));
    let plan = read_study(&text).expect("it is right");
    let only = |label: &str| {
        let overrides = RunFlags {
            only: vec![label.to_owned()],
            ..RunFlags::default()
        };
        resolve(plan.clone(), &overrides)
            .expect("it is right")
            .services
            .len()
    };
    assert_eq!(only("quarkus"), 1);
    assert_eq!(only("event-loop"), 0);
}

#[test]
fn mistakes_in_services_are_reported() {
    let service = |lines: &str| with(&format!("[service.db]\n{lines}\n"), "");
    let workload = |lines: &str| with(DB, lines);
    let texts = [
        service("kind = \"postgres\""),
        service("knd = \"postgresql\""),
        service("kind = \"postgresql\"\nversion = \"^15\""),
        service("kind = \"postgresql\"\nschema = \"schemas/nothing.sql\""),
        service("kind = \"postgresql\"\nrows = { \"a b\" = 1, c = -1 }"),
        service("kind = \"postgresql\"\ntargets = [\"quark\"]"),
        service("kind = \"postgresql\"\nurl = \"mysql://a@b/c\""),
        service("kind = \"postgresql\"\nurl = \"postgresql://127.0.0.1/c\""),
        with("[service.Db]\nkind = \"mariadb\"\n", ""),
        with("", "before = \"schemas/item.mariadb.sql\""),
        workload("service = \"db\""),
        workload("service = \"bd\"\nbefore = \"schemas/item.mariadb.sql\""),
        workload("count-after = { table = \"item\" }"),
        workload("count-after = { table = \"item; DROP\", equals = \"answer\" }"),
        format!(
            "{}targets = [\"quarkus\"]\n",
            workload("before = \"schemas/item.mariadb.sql\"")
        ),
        with(
            &format!("{DB}[service.b]\nkind = \"mariadb\"\n"),
            "before = \"schemas/item.mariadb.sql\"",
        ),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    insta::assert_snapshot!(mistakes_in(&texts, read_study));
}
