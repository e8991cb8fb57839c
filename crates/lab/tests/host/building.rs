//! Targets are built, once.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use libtest_mimic::Trial;
use photofinish_host::{Error, Tools};
use photofinish_lab::build::{Built, build};
use photofinish_model::samples::{assert_contains, assert_starts};
use photofinish_study::plan::{Build, Target};

use super::sample;
use super::support::{MARK, Outcome, host, marked, new_mark};
use super::trials::trials;

pub fn tests() -> Vec<Trial> {
    trials![
        a_build_is_done_once,
        a_failed_build_reports_its_last_lines,
        an_interrupted_build_is_done_again,
        a_build_has_a_limit,
        two_builds_wait_for_each_other,
        nothing_to_build,
    ]
}

/// A folder with a target's sources, a cache and a log.
struct Workshop {
    dir: tempfile::TempDir,
    target: Target,
}

impl Workshop {
    fn new(script: &str) -> Result<Workshop, libtest_mimic::Failed> {
        let dir = tempfile::tempdir()?;
        let sources = dir.path().join("sources");
        fs::create_dir_all(sources.join("target"))?;
        fs::write(sources.join("input"), "one")?;
        fs::write(sources.join("target/old"), "an earlier build's")?;
        let mut target = sample::target("thing");
        target.label = "thing@variant".to_owned();
        target.variant = Some("variant".to_owned());
        target.dir = Some(sources);
        target.build = Some(Build {
            command: ["sh", "-c", script].map(str::to_owned).to_vec(),
            env: BTreeMap::new(),
            timeout: Duration::from_secs(600),
            in_place: false,
        });
        Ok(Workshop { dir, target })
    }

    fn sources(&self) -> PathBuf {
        self.dir.path().join("sources")
    }

    fn log(&self) -> PathBuf {
        self.dir.path().join("log")
    }

    fn build(&self, interrupted: &dyn Fn() -> bool) -> Result<Built, Error> {
        build(
            &host(),
            &self.target,
            &tools(),
            &self.dir.path().join("cache"),
            &self.log(),
            interrupted,
        )
    }
}

fn tools() -> Tools {
    Tools {
        java_home: Some(PathBuf::from("/the/jdk")),
        env: BTreeMap::from([("FROM_TOOLS".to_owned(), "yes".to_owned())]),
        ..Tools::default()
    }
}

fn never() -> bool {
    false
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn a_build_is_done_once() -> Outcome {
    let script = r#"echo building; ls > list; cp input out; echo "{java_home} $FROM_TOOLS $PLAN ${HOME:+home}" > env; echo {dir} >> env"#;
    let mut shop = Workshop::new(script)?;
    let plan = shop.target.build.as_mut().ok_or("it has one")?;
    plan.env.insert("PLAN".to_owned(), "in {dir}".into());
    let first = shop.build(&never)?;
    assert!(!first.cached);
    let dir = first.dir.display();
    assert_eq!(read(&first.dir.join("out")), "one");
    assert_eq!(
        read(&first.dir.join("env")),
        format!("/the/jdk yes in {dir} home\n{dir}\n")
    );
    assert_eq!(read(&first.dir.join("list")), "input\nlist\n");
    assert!(!shop.sources().join("out").exists());

    // Another variant of the same sources: the same build.
    shop.target.label = "thing".to_owned();
    fs::write(shop.sources().join("target/old"), "more")?;
    assert_eq!(
        shop.build(&never)?,
        Built {
            dir: first.dir.clone(),
            cached: true
        }
    );
    assert_eq!(read(&shop.log()).matches("\nbuilding\n").count(), 1);

    // Other inputs: another one.
    fs::write(shop.sources().join("input"), "two")?;
    let second = shop.build(&never)?;
    assert!(!second.cached && second.dir != first.dir);
    assert_eq!(read(&second.dir.join("out")), "two");
    shop.target
        .build
        .as_mut()
        .ok_or("it has one")?
        .env
        .insert("PLAN".to_owned(), "other".into());
    assert!(!shop.build(&never)?.cached);
    Ok(())
}

fn a_failed_build_reports_its_last_lines() -> Outcome {
    let mut shop = Workshop::new(
        "i=1; while [ $i -le 30 ]; do echo line $i; i=$((i+1)); done; echo broken >&2; exit 3",
    )?;
    let error = shop.build(&never).err().ok_or("it fails")?;
    let text = error.to_string();
    let head = "build thing@variant: exit status 3\n  command: sh -c i=1;";
    assert!(text.starts_with(head), "{text}");
    assert!(
        text.contains(&format!("\n  log: {}\n", shop.log().display())),
        "{text}"
    );
    assert!(text.ends_with("| line 30\n    | broken"), "{text}");
    assert!(
        text.contains("| line 12\n") && !text.contains("| line 11\n"),
        "{text}"
    );

    shop.target.build.as_mut().ok_or("it has one")?.command = vec!["no-such-build-tool".to_owned()];
    let text = shop.build(&never).err().ok_or("it fails")?.to_string();
    assert_contains(&text, "start no-such-build-tool: No such file");
    Ok(())
}

fn an_interrupted_build_is_done_again() -> Outcome {
    let mut shop = Workshop::new(
        "[ -e ../../go ] && exit 0; sleep 1000 & echo > half; echo waiting; sleep 1000",
    )?;
    let mark = new_mark();
    let plan = shop.target.build.as_mut().ok_or("it has one")?;
    plan.env.insert(MARK.to_owned(), mark.clone().into());
    let log = shop.log();
    let error = shop
        .build(&|| read(&log).contains("\nwaiting\n"))
        .err()
        .ok_or("it is interrupted")?;
    assert!(matches!(error, Error::Interrupted), "{error}");
    assert_eq!(marked(&mark), Vec::<u32>::new());

    fs::write(shop.dir.path().join("go"), "")?;
    let built = shop.build(&never)?;
    assert!(!built.cached);
    assert!(!built.dir.join("half").exists());
    assert!(shop.build(&never)?.cached);
    Ok(())
}

fn a_build_has_a_limit() -> Outcome {
    let mut shop = Workshop::new("echo on and on; exec sleep 1000")?;
    shop.target.build.as_mut().ok_or("it has one")?.timeout = Duration::ZERO;
    let text = shop
        .build(&never)
        .err()
        .ok_or("it is too slow")?
        .to_string();
    assert_starts(
        &text,
        "build thing@variant: it takes longer than 0 s; see `timeout`",
    );
    Ok(())
}

fn two_builds_wait_for_each_other() -> Outcome {
    let shop = Workshop::new("echo begin; sleep 0.1; echo end")?;
    let built: Vec<bool> = std::thread::scope(|scope| {
        let builds = [(); 3].map(|()| scope.spawn(|| shop.build(&never).map(|b| b.cached)));
        builds
            .into_iter()
            .filter_map(|b| b.join().ok()?.ok())
            .collect()
    });
    assert_eq!(built.len(), 3);
    assert_eq!(built.iter().filter(|cached| !**cached).count(), 1);
    assert_eq!(read(&shop.log()).matches("\nbegin\nend\n").count(), 1);

    // Who waits can be interrupted.
    let asked = Cell::new(0);
    let locks: Vec<PathBuf> = fs::read_dir(shop.dir.path().join("cache"))?
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "lock"))
        .collect();
    let held = fs::File::open(&locks[0])?;
    held.lock()?;
    let waiting = shop.build(&|| asked.replace(asked.get() + 1) == 3);
    assert!(matches!(waiting, Err(Error::Interrupted)), "{waiting:?}");
    Ok(())
}

fn nothing_to_build() -> Outcome {
    let mut shop = Workshop::new("")?;
    shop.target.build = None;
    assert_eq!(
        shop.build(&never)?,
        Built {
            dir: shop.sources(),
            cached: true
        }
    );
    shop.target.dir = None;
    assert_eq!(shop.build(&never)?.dir, std::env::current_dir()?);
    Ok(())
}
