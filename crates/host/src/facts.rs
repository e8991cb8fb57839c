//! What a machine is: its processor, memory, kernel and limits, for the record.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{priority, sys};

/// What stands where the system does not report it.
const UNKNOWN: &str = "unknown";

/// What a machine is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// What the kernel calls this time that it is up: two with the same one are the same machine. Empty where it does not report it.
    pub boot: String,
    /// The processor's name.
    pub cpu: String,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// The kernel's release.
    pub kernel: String,
    /// The operating system's name.
    pub os: String,
    /// The frequency governors, where there are any.
    pub governor: Option<String>,
    /// The hypervisor, where one is known.
    pub hypervisor: Option<String>,
    /// The limit of open files.
    pub open_files: u64,
    /// Whether servers may come before other programs on their cores.
    #[serde(default)]
    pub gives_priority: bool,
}

impl Facts {
    /// Those of this machine; `cores` are the ones whose governors count.
    pub fn take(cores: &[usize]) -> Facts {
        let info = read("/proc/cpuinfo").unwrap_or_default();
        Facts {
            boot: read("/proc/sys/kernel/random/boot_id").unwrap_or_default(),
            cpu: processor(&info).unwrap_or_else(|| format!("{UNKNOWN} ({})", env::consts::ARCH)),
            memory_bytes: read("/proc/meminfo")
                .and_then(|text| bytes(&text, "MemTotal"))
                .unwrap_or(0),
            kernel: read("/proc/sys/kernel/osrelease").unwrap_or_else(|| UNKNOWN.to_owned()),
            os: read("/etc/os-release")
                .and_then(|text| pretty_name(&text))
                .unwrap_or_else(|| UNKNOWN.to_owned()),
            governor: governor(cores),
            hypervisor: hypervisor(&info),
            open_files: sys::open_files().0,
            gives_priority: priority::is_ours_to_give(),
        }
    }
}

/// A file's text without spaces at its ends; `None` if it cannot be read or is empty.
pub fn read(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The number of a line `name number`, as in `/proc/vmstat` and in files of control groups.
pub(super) fn count(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(key, _)| *key == name)?.1.trim().parse().ok()
}

/// The value of a line `name: value`, without spaces and tabs around it.
fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

/// A figure of `/proc/meminfo`, which counts in KiB, in bytes.
pub fn bytes(text: &str, name: &str) -> Option<u64> {
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
pub fn governor(cores: &[usize]) -> Option<String> {
    let file = |cpu| format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor");
    let found: BTreeSet<String> = cores.iter().filter_map(|cpu| read(file(cpu))).collect();
    (!found.is_empty()).then(|| found.into_iter().collect::<Vec<_>>().join(", "))
}

/// The hypervisor, if this is a virtual machine.
pub fn hypervisor(info: &str) -> Option<String> {
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

/// The hypervisor's name as the processor reports it: leaf 0x4000_0000, as agreed between Intel, AMD and the makers of
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_described() {
        let reported = Facts::take(&[0]);
        assert!(reported.memory_bytes > 0 && reported.open_files > 0);
        assert_ne!(reported.kernel, UNKNOWN);
        assert_eq!(reported.boot, Facts::take(&[]).boot);
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
}
