//! The machine and the program, for the record.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::Path;

use photofinish_model::{Environment, VERSION};

use crate::lanes::{self, Lanes};
use photofinish_host::command::{which, words};
use photofinish_host::sys;

/// What stands where the system does not tell.
const UNKNOWN: &str = "unknown";

/// Describes this machine; `tools` are those that were found for the targets.
pub fn environment(lanes: &Lanes, tools: BTreeMap<String, String>) -> Environment {
    let numbers = |cpus: &[usize]| cpus.iter().map(|&cpu| cpu as u32).collect();
    let cores = lanes::cores().unwrap_or_default();
    let info = read("/proc/cpuinfo").unwrap_or_default();
    Environment {
        version: VERSION,
        photofinish: env!("CARGO_PKG_VERSION").to_owned(),
        commit: commit(),
        cpu: processor(&info).unwrap_or_else(|| format!("{UNKNOWN} ({})", env::consts::ARCH)),
        cpus: numbers(&cores),
        server_cpus: numbers(&lanes.server),
        generator_cpus: numbers(&lanes.generator),
        memory_bytes: read("/proc/meminfo")
            .and_then(|text| bytes(&text, "MemTotal"))
            .unwrap_or(0),
        kernel: read("/proc/sys/kernel/osrelease").unwrap_or_else(|| UNKNOWN.to_owned()),
        os: read("/etc/os-release")
            .and_then(|text| pretty_name(&text))
            .unwrap_or_else(|| UNKNOWN.to_owned()),
        governor: governor(&cores),
        hypervisor: hypervisor(&info),
        open_files: sys::open_files().0,
        tools,
    }
}

/// A file's text without spaces at its ends; `None` where it cannot be read or is empty.
pub(crate) fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The value of a line `name: value`, without spaces and tabs around it.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

/// A figure of `/proc/meminfo`, which counts in KiB, in bytes.
pub(crate) fn bytes(text: &str, name: &str) -> Option<u64> {
    let kib: u64 = field(text, name)?.strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// The processor's name from `/proc/cpuinfo`; on ARM, where that has none, the board's.
fn processor(info: &str) -> Option<String> {
    let name = field(info, "model name").or_else(|| field(info, "Hardware"));
    name.map(str::to_owned).or_else(|| {
        let board = read("/sys/firmware/devicetree/base/model")?;
        Some(board.trim_end_matches('\0').to_owned())
    })
}

/// `PRETTY_NAME` of os-release(5).
fn pretty_name(text: &str) -> Option<String> {
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned())
}

/// The frequency governors of some cores, each once.
pub(crate) fn governor(cores: &[usize]) -> Option<String> {
    let file = |cpu| format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
    let found: BTreeSet<String> = cores.iter().filter_map(|cpu| read(file(cpu))).collect();
    (!found.is_empty()).then(|| found.into_iter().collect::<Vec<_>>().join(", "))
}

/// The hypervisor, if this is a virtual machine.
pub(crate) fn hypervisor(info: &str) -> Option<String> {
    if let Some(kind) = read("/sys/hypervisor/type") {
        return Some(kind);
    }
    let flags = field(info, "flags").unwrap_or_default();
    if flags
        .split_ascii_whitespace()
        .any(|flag| flag == "hypervisor")
    {
        return Some(cpuid_vendor().unwrap_or_else(|| UNKNOWN.to_owned()));
    }
    // ARM has no such flag; the firmware of virtual machines names their maker.
    let maker = read("/sys/class/dmi/id/sys_vendor")?;
    ["QEMU", "Amazon EC2", "VMware", "Xen", "Google"]
        .iter()
        .find(|known| maker.contains(**known))
        .map(|_| maker.clone())
}

/// The hypervisor's name as the processor tells it: leaf 0x4000_0000, as agreed between Intel, AMD and the makers of
/// hypervisors; where lscpu(1) has it from.
#[cfg(target_arch = "x86_64")]
fn cpuid_vendor() -> Option<String> {
    let leaf = std::arch::x86_64::__cpuid(0x4000_0000);
    let bytes: Vec<u8> = [leaf.ebx, leaf.ecx, leaf.edx]
        .iter()
        .flat_map(|part| part.to_le_bytes())
        .collect();
    vendor_name(&bytes)
}

#[cfg(not(target_arch = "x86_64"))]
fn cpuid_vendor() -> Option<String> {
    None
}

/// A hypervisor by its signature; the signature itself where it is not a known one.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
fn vendor_name(signature: &[u8]) -> Option<String> {
    let text: String = signature
        .iter()
        .take_while(|&&b| b != 0)
        .map(|&b| char::from(b))
        .collect();
    let known = match text.trim() {
        "" => return None,
        "KVMKVMKVM" => "KVM",
        "Microsoft Hv" => "Hyper-V",
        "VMwareVMware" => "VMware",
        "XenVMMXenVMM" => "Xen",
        "TCGTCGTCGTCG" => "QEMU without KVM",
        "bhyve bhyve" => "bhyve",
        other => other,
    };
    Some(known.to_owned())
}

/// The commit of the checkout that photofinish was started in, with `-dirty` where files differ from it.
fn commit() -> Option<String> {
    let git = which("git", &env::var_os("PATH")?)?;
    let told = words(
        &git,
        &[
            "describe",
            "--always",
            "--dirty",
            "--abbrev=40",
            "--exclude=*",
        ],
        &BTreeMap::new(),
    )?;
    parse_commit(&told)
}

/// The commit in what git said; `None` where it only complained.
fn parse_commit(told: &str) -> Option<String> {
    let line = told.lines().next()?;
    let hash = line.strip_suffix("-dirty").unwrap_or(line);
    (hash.len() >= 40 && hash.chars().all(|c| c.is_ascii_hexdigit())).then(|| line.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_described() {
        let tools = BTreeMap::from([("jdk".to_owned(), "25.0.1 (/x)".to_owned())]);
        let lanes = Lanes {
            server: vec![0],
            generator: vec![1, 2],
            shared: None,
        };
        let told = environment(&lanes, tools.clone());
        assert!(!told.cpus.is_empty() && told.memory_bytes > 0 && told.open_files > 0);
        assert_eq!(
            (told.server_cpus, told.generator_cpus),
            (vec![0], vec![1, 2])
        );
        assert_eq!(told.tools, tools);
        assert_ne!(told.kernel, UNKNOWN);
    }

    #[test]
    fn files_are_read_as_they_are() {
        assert_eq!(
            bytes("MemTotal:       16384 kB\nSwapFree: 0 kB\n", "MemTotal"),
            Some(16_777_216)
        );
        assert_eq!(bytes("MemTotal: lots\n", "MemTotal"), None);
        let os = "NAME=\"X\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n";
        assert_eq!(
            pretty_name(os).as_deref(),
            Some("Debian GNU/Linux 12 (bookworm)")
        );
        assert_eq!(
            processor("processor\t: 0\nmodel name\t: AMD EPYC\n").as_deref(),
            Some("AMD EPYC")
        );
    }

    #[test]
    fn hypervisors_have_names() {
        assert_eq!(vendor_name(b"KVMKVMKVM\0\0\0").as_deref(), Some("KVM"));
        assert_eq!(
            vendor_name(b"NewNewNewNew").as_deref(),
            Some("NewNewNewNew")
        );
        assert_eq!(vendor_name(&[0; 12]), None);
    }

    #[test]
    fn a_commit_is_told_from_a_complaint() {
        let hash = "fed753c9ff3c60c1bf8adeb492f054badcfa44b4";
        assert_eq!(parse_commit(&format!("{hash}\n")).as_deref(), Some(hash));
        assert_eq!(
            parse_commit(&format!("{hash}-dirty\n")),
            Some(format!("{hash}-dirty"))
        );
        assert_eq!(parse_commit("fatal: not a git repository\n"), None);
        assert_eq!(parse_commit(""), None);
    }
}
