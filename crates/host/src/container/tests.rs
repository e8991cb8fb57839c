use super::*;

#[test]
fn a_container_is_left_where_its_photofinish_is_gone() {
    let own = new_name();
    assert!(!is_left(&own), "{own}");
    assert_ne!(own, new_name());
    let parts: Vec<&str> = own.split('-').collect();
    let [first, space, pid, started, count] = parts[..] else {
        panic!("{own}");
    };
    // The number was given to another process since.
    assert!(is_left(&format!(
        "{first}-{space}-{pid}-{started}1-{count}"
    )));
    for another_s in [
        format!("{first}-{space}1-{pid}-{started}1-{count}"),
        format!("{first}-{pid}-{started}1"),
        format!("my-{space}-{pid}-{started}1-{count}"),
        String::new(),
    ] {
        assert!(!is_left(&another_s), "{another_s}");
    }
}

#[test]
fn a_container_runs_with_what_a_server_without_one_has() {
    let engine = |cpusets| Engine {
        program: PathBuf::from("/usr/bin/podman"),
        cpusets,
    };
    let container = |cpusets| Container {
        engine: engine(cpusets),
        image: Image {
            id: "sha256:12".to_owned(),
            pulled: None,
        },
    };
    let spec = ProcessSpec {
        command: vec!["--port".to_owned(), "80".to_owned()],
        env: BTreeMap::from([
            ("TOKEN".to_owned(), "canary".into()),
            ("LANG".to_owned(), "C".into()),
        ]),
        cpus: vec![1, 3],
        ..ProcessSpec::default()
    };
    let command = container(true).command("n", &spec, "m").join(" ");
    for part in [
        "/usr/bin/podman run --rm --name n --network host ",
        " --oom-score-adj ",
        " --cpuset-cpus 1,3 ",
        " --env PHOTOFINISH_KEPT=m --env LANG=C --env TOKEN sha256:12 --port 80",
    ] {
        assert!(command.contains(part), "{part} in {command}");
    }
    let inherited: Vec<_> = inherited(&spec).into_keys().collect();
    assert_eq!(inherited, ["TOKEN"]);
    let command = container(false).command("n", &spec, "m").join(" ");
    assert!(!command.contains("cpuset"), "{command}");
}
