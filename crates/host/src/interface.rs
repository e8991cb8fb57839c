//! The network interfaces that load passes, and how fast their devices say that they are.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::path::Path;
use std::{fs, io};

use photofinish_model::network::{Interface, InterfaceKind};
use serde::{Deserialize, Serialize};

use super::facts::read;

/// Where the kernel describes the interfaces of a network namespace.
const INTERFACES_PATH: &str = "/sys/class/net";
/// What `type` of a loopback interface says (`ARPHRD_LOOPBACK`).
const LOOPBACK_TYPE: &str = "772";
/// A bridge on a bond of VLANs is no deeper than that.
const MAX_DEPTH: u32 = 4;

/// Which interface is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum InterfaceQuery {
    /// The one by which an address is reached.
    To(IpAddr),
    /// The one that has an address; where none has, as behind a translation of addresses, the one by which it is reached.
    At(IpAddr),
}

/// The interface of this machine; `None` if it is not known.
pub(super) fn interface(way: InterfaceQuery) -> Option<Interface> {
    let (InterfaceQuery::To(address) | InterfaceQuery::At(address)) = way;
    let own = own_address(address).ok()?;
    let own = match way {
        // What is sent to an address of one's own goes by the loopback interface.
        InterfaceQuery::To(_) if own == address => match address {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        },
        _ => own,
    };
    let mut addresses = photofinish_load::own_addresses().into_iter();
    let found = addresses.find(|one| one.address == own)?;
    described(Path::new(INTERFACES_PATH), found.interface)
}

/// The address of this machine from which another one is reached. Sends nothing.
fn own_address(to: IpAddr) -> io::Result<IpAddr> {
    let any: SocketAddr = match to {
        IpAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        IpAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    // Any port will do.
    socket.connect((to, 9))?;
    Ok(socket.local_addr()?.ip())
}

/// An interface as the kernel describes it.
fn described(all: &Path, name: String) -> Option<Interface> {
    let folder = all.join(&name);
    let kind = match read(folder.join("type"))?.as_str() {
        LOOPBACK_TYPE => InterfaceKind::Loopback,
        _ if is_on_device(all, &name, MAX_DEPTH) => InterfaceKind::Device,
        _ => InterfaceKind::Virtual,
    };
    // A veth pair states 10,000 Mbit/s, whatever it does; devices of virtual machines often state -1.
    let speed = (kind == InterfaceKind::Device).then(|| read(folder.join("speed")));
    let speed: Option<i64> = speed.flatten().and_then(|text| text.parse().ok());
    Some(Interface {
        name,
        kind,
        mbit_per_s: speed
            .and_then(|speed| u64::try_from(speed).ok())
            .filter(|speed| *speed > 0),
    })
}

/// Whether an interface is one of a device, or on top of such, as a bond and a VLAN are.
fn is_on_device(all: &Path, name: &str, deepest: u32) -> bool {
    let folder = all.join(name);
    if folder.join("device").exists() {
        return true;
    }
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut below = names.filter_map(|entry| Some(entry.strip_prefix("lower_")?.to_owned()));
    deepest > 0 && below.any(|name| is_on_device(all, &name, deepest - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_to_this_machine_goes_by_the_loopback_interface() {
        let home = Ipv4Addr::LOCALHOST.into();
        for way in [InterfaceQuery::To(home), InterfaceQuery::At(home)] {
            let interface = interface(way).expect("there is one");
            assert_eq!(interface.kind, InterfaceKind::Loopback);
            assert_eq!(interface.mbit_per_s, None);
        }
    }

    #[test]
    fn a_speed_is_that_of_a_device_or_of_what_is_on_top_of_one() {
        let all = tempfile::tempdir().expect("there is room");
        let make = |name: &str, below: &str, speed: &str| {
            let folder = all.path().join(name);
            fs::create_dir_all(folder.join(below)).expect("a folder");
            fs::write(folder.join("type"), "1\n").expect("a file");
            fs::write(folder.join("speed"), speed).expect("a file");
        };
        make("eth0", "device", "25000\n");
        make("eth1", "device", "-1\n");
        make("bond0", "lower_eth0", "25000\n");
        make("vlan7", "lower_bond0", "25000\n");
        make("veth0", "queues", "10000\n");
        make("round", "lower_round", "10000\n");
        let found = |name: &str| {
            let found = described(all.path(), name.to_owned()).expect("it is there");
            (found.kind, found.mbit_per_s)
        };
        assert_eq!(found("eth0"), (InterfaceKind::Device, Some(25_000)));
        assert_eq!(found("eth1"), (InterfaceKind::Device, None));
        assert_eq!(found("vlan7"), (InterfaceKind::Device, Some(25_000)));
        assert_eq!(found("veth0"), (InterfaceKind::Virtual, None));
        assert_eq!(found("round"), (InterfaceKind::Virtual, None));
        assert_eq!(described(all.path(), "none".to_owned()), None);
    }
}
