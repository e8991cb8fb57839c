//! Names of addresses: `module`, a backquote, the function. What has no name is said to have none, and is no error.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use blazesym::Pid;
use blazesym::symbolize::source::{Kernel, Process, Source};
use blazesym::symbolize::{Input, Symbolized, Symbolizer};

use photofinish_model::folded::frame;

use crate::perf_map;

/// A frame of which nothing is known.
pub(crate) const UNKNOWN: &str = "[unknown]";
/// The module of the kernel's functions.
pub(crate) const KERNEL: &str = "kernel";
/// The module of code that was compiled at run time and has a name in a perf map.
pub(crate) const COMPILED: &str = "jit";
/// The module of Java methods, of a machine whose agent names them.
pub(crate) const JAVA: &str = "java";
/// The module of the code that a Java virtual machine makes for itself.
pub(crate) const JVM_STUB: &str = "jvm";
/// Code that was compiled at run time, without names: by a Java virtual machine …
pub(crate) const JVM: &str = "[JVM, no symbols]";
/// … and by anything else.
pub(crate) const NAMELESS: &str = "[compiled at run time, no symbols]";

/// Addresses and their names.
pub(crate) type Names = BTreeMap<u64, String>;

/// The names of addresses in the kernel.
pub(crate) fn kernel(addresses: &BTreeSet<u64>) -> Names {
    let source = Kernel {
        debug_syms: false,
        ..Kernel::default()
    };
    let names = look_up(&Source::Kernel(source), addresses);
    let name = |(address, name): (u64, Option<Name>)| {
        let function = name.map_or_else(|| UNKNOWN.to_owned(), |name| name.function);
        (address, format!("{KERNEL}`{}", frame(&function)))
    };
    names.into_iter().map(name).collect()
}

/// The names of addresses in a process.
pub(crate) fn process(pid: u32, addresses: &BTreeSet<u64>) -> Names {
    let maps = Maps::of(pid);
    let source = |map_files| {
        let mut source = Process::new(Pid::from(pid));
        source.debug_syms = false;
        source.map_files = map_files;
        // Read [here](perf_map), with care.
        source.perf_map = false;
        Source::Process(source)
    };
    // By what is mapped, which is right for deleted files and in containers too, where that is allowed; else by path.
    let mut names = look_up(&source(true), addresses);
    if names.values().all(Option::is_none) {
        names = look_up(&source(false), addresses);
    }
    let in_no_file = |(address, name): (&u64, &Option<Name>)| {
        let mapped = maps.at(*address);
        let is_so = name.is_none() && mapped.is_some_and(|mapped| mapped.file().is_none());
        is_so.then_some(*address)
    };
    let compiled: BTreeSet<u64> = names.iter().filter_map(in_no_file).collect();
    for (address, function) in perf_map::names(pid, &compiled) {
        let module = None;
        names.insert(address, Some(Name { module, function }));
    }
    let name = |(address, name): (u64, Option<Name>)| {
        let text = match (name, maps.at(address)) {
            (Some(name), at) => {
                let module = name.module.or_else(|| at.and_then(Mapped::file));
                let module = module.map_or_else(|| COMPILED.to_owned(), not_ours);
                format!("{}`{}", frame(&module), frame(&name.function))
            }
            (None, Some(mapped)) => match mapped.file() {
                Some(module) => format!("{}`{UNKNOWN}", frame(&not_ours(module))),
                None if maps.java => JVM.to_owned(),
                None => NAMELESS.to_owned(),
            },
            (None, None) => UNKNOWN.to_owned(),
        };
        (address, text)
    };
    names.into_iter().map(name).collect()
}

/// A file's name that is none of those that stand for something else here.
fn not_ours(module: String) -> String {
    match module.as_str() {
        KERNEL | COMPILED | JVM_STUB => format!("./{module}"),
        _ => module,
    }
}

/// The module of a process's own functions: the file that it runs.
pub(crate) fn program(pid: u32) -> Option<String> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    Some(frame(&not_ours(file_name(&path.to_string_lossy()))))
}

/// What is known of an address.
struct Name {
    /// The name of the file, without its folder; `None` for what is in no file.
    module: Option<String>,
    function: String,
}

/// Each address's name, `None` if it has none.
fn look_up(source: &Source<'_>, addresses: &BTreeSet<u64>) -> BTreeMap<u64, Option<Name>> {
    let list: Vec<u64> = addresses.iter().copied().collect();
    let look = || {
        let symbolizer = Symbolizer::builder()
            .enable_code_info(false)
            .enable_inlined_fns(false)
            .build();
        let found = symbolizer.symbolize(source, Input::AbsAddr(&list)).ok()?;
        Some(found.into_iter().map(name).collect::<Vec<_>>())
    };
    // A server's files are read as they are; one that is made to confuse costs the names, and nothing else.
    let found = catch_unwind(AssertUnwindSafe(look)).ok().flatten();
    let mut found = found.unwrap_or_default().into_iter();
    let next = |address| (address, found.next().flatten());
    list.into_iter().map(next).collect()
}

fn name(symbolized: Symbolized<'_>) -> Option<Name> {
    let symbol = symbolized.into_sym()?;
    let module = symbol
        .module
        .map(|module| file_name(&module.to_string_lossy()));
    Some(Name {
        module,
        function: symbol.name.into_owned(),
    })
}

fn file_name(path: &str) -> String {
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    let name = Path::new(path).file_name();
    name.map_or_else(
        || path.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// What a process has mapped.
#[derive(Debug, Default)]
pub(crate) struct Maps {
    mapped: Vec<Mapped>,
    /// Whether it is a Java virtual machine.
    pub(crate) java: bool,
}

/// A range of addresses.
#[derive(Debug, PartialEq, Eq)]
struct Mapped {
    from: u64,
    to: u64,
    path: String,
}

impl Mapped {
    /// The name of the file that is mapped; `None`: none, or one that only shares memory.
    fn file(&self) -> Option<String> {
        let shared = ["/memfd:", "/dev/", "//anon", "/SYSV"];
        match self.path.as_str() {
            "" => None,
            path if path.starts_with("[anon") => None,
            path if shared.iter().any(|prefix| path.starts_with(prefix)) => None,
            path => Some(file_name(path)),
        }
    }
}

impl Maps {
    pub(crate) fn of(pid: u32) -> Maps {
        let text = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
        Maps::parse(&String::from_utf8_lossy(&text))
    }

    fn parse(text: &str) -> Maps {
        let mapped: Vec<Mapped> = text.lines().filter_map(range).collect();
        let java = mapped
            .iter()
            .any(|range| file_name(&range.path) == "libjvm.so");
        Maps { mapped, java }
    }

    fn at(&self, address: u64) -> Option<&Mapped> {
        let place = self.mapped.partition_point(|range| range.to <= address);
        self.mapped.get(place).filter(|range| range.from <= address)
    }
}

/// A line of `/proc/PID/maps`, proc(5).
fn range(line: &str) -> Option<Mapped> {
    let mut rest = line;
    let mut field = || {
        let (field, after) = rest.split_once(' ').unwrap_or((rest, ""));
        rest = after.trim_start();
        field
    };
    let (from, to) = field().split_once('-')?;
    // Rights, offset, device, inode.
    for _ in 0..4 {
        field();
    }
    Some(Mapped {
        from: u64::from_str_radix(from, 16).ok()?,
        to: u64::from_str_radix(to, 16).ok()?,
        path: rest.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
5500-5600 r-xp 00000000 fe:00 12   /srv/my server (deleted)
7000-7100 rwxp 00000000 00:00 0
7100-7200 rwxs 00000000 00:01 77   /memfd:doublemapper (deleted)
7f00-8000 r-xp 00001000 fe:00 13   /usr/lib/jvm/lib/server/libjvm.so
8000-8100 r-xp 00000000 00:00 0    [vdso]
";

    #[test]
    fn a_mapping_is_found_by_address() {
        let maps = Maps::parse(MAPS);
        assert!(maps.java);
        let file = |address| maps.at(address).map(Mapped::file);
        assert_eq!(file(0x5500), Some(Some("my server".to_owned())));
        assert_eq!(file(0x5600), None);
        assert_eq!(file(0x70ff), Some(None));
        assert_eq!(file(0x7100), Some(None));
        assert_eq!(file(0x7fff), Some(Some("libjvm.so".to_owned())));
        assert_eq!(file(0x8000), Some(Some("[vdso]".to_owned())));
        assert_eq!(file(0x10), None);
    }

    /// Of the C library: this program itself may have been stripped.
    #[test]
    fn functions_have_the_names_of_their_module_and_their_own() {
        let known = libc::getppid as *const () as u64;
        let names = process(std::process::id(), &BTreeSet::from([known, 0x10]));
        assert!(names[&known].starts_with("libc"), "{names:?}");
        assert!(names[&known].ends_with("`getppid"), "{names:?}");
        assert_eq!(names[&0x10], UNKNOWN);
    }

    #[test]
    fn a_file_that_is_called_as_the_kernel_is_not_the_kernel() {
        assert_eq!(not_ours("kernel".to_owned()), "./kernel");
        assert_eq!(not_ours("server".to_owned()), "server");
        assert_eq!(
            crate::layers::layer(&["./kernel`main".to_owned()]),
            photofinish_model::Layer::Application
        );
    }

    #[test]
    fn a_program_s_own_functions_have_its_name_as_their_module() {
        let pid = std::process::id();
        let own = a_program_s_own_functions_have_its_name_as_their_module as *const () as u64;
        let names = process(pid, &BTreeSet::from([own]));
        let module = names[&own].split_once('`').map(|(module, _)| module);
        assert_eq!(module, program(pid).as_deref(), "{names:?}");
    }

    #[test]
    fn of_a_process_that_is_gone_nothing_is_known() {
        assert_eq!(program(u32::MAX / 2), None);
        let names = process(u32::MAX / 2, &BTreeSet::from([0x1000, 0x2000]));
        assert!(names.values().all(|name| name == UNKNOWN), "{names:?}");
    }
}
