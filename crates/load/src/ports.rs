//! The local ports that connections need, and the addresses that have others.

use std::ffi::CStr;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::RangeInclusive;
use std::ptr;

use photofinish_model::finding::complaint::Complaint;

/// Says that this machine has no free local port for another connection, with what holds them.
pub fn none_free() -> Complaint {
    let sockets = fs::read_to_string("/proc/net/sockstat").unwrap_or_default();
    Complaint::NoLocalPort {
        ports: ephemeral_range().map(|range| range.len() as u64),
        time_wait: time_wait(&sockets),
    }
}

/// The ports from which the kernel takes those of outgoing connections.
pub fn ephemeral_range() -> Option<RangeInclusive<u16>> {
    range(&fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?)
}

/// A range such as `32768 60999`.
fn range(text: &str) -> Option<RangeInclusive<u16>> {
    let mut bounds = text.split_whitespace().map(str::parse);
    let (first, last) = (bounds.next()?.ok()?, bounds.next()?.ok()?);
    (first <= last).then_some(first..=last)
}

/// How many connections are in TIME_WAIT, from lines such as `TCP: inuse 5 orphan 0 tw 28232 alloc 7 mem 1`.
fn time_wait(sockets: &str) -> Option<u64> {
    let line = sockets.lines().find_map(|line| line.strip_prefix("TCP:"))?;
    let mut words = line.split_whitespace();
    words.find(|word| *word == "tw")?;
    words.next()?.parse().ok()
}

/// An address of this machine.
#[derive(Clone, Debug)]
pub struct OwnAddress {
    /// The network interface that has it.
    pub interface: String,
    /// The address.
    pub address: IpAddr,
    /// The bits that it has in common with all of its network.
    mask: Option<IpAddr>,
}

/// This machine's addresses; none where the system does not say them.
pub fn own_addresses() -> Vec<OwnAddress> {
    let mut first = ptr::null_mut();
    let mut found = Vec::new();
    // SAFETY: `first` is where the list's beginning goes.
    if unsafe { libc::getifaddrs(&raw mut first) } != 0 {
        return found;
    }
    let mut next = first;
    // SAFETY: each entry of the list is valid until `freeaddrs`, and the last one's `ifa_next` is null.
    while let Some(entry) = unsafe { next.as_ref() } {
        // SAFETY: both are null or addresses of their own families, as getifaddrs(3) says, and the name is a string of C.
        let (address, mask, name) = unsafe {
            let name = CStr::from_ptr(entry.ifa_name);
            (address(entry.ifa_addr), address(entry.ifa_netmask), name)
        };
        found.extend(address.map(|address| OwnAddress {
            interface: name.to_string_lossy().into_owned(),
            address,
            mask,
        }));
        next = entry.ifa_next;
    }
    // SAFETY: the list is the one that getifaddrs made, and nothing points into it any more.
    unsafe { libc::freeifaddrs(first) };
    found
}

/// This machine's addresses on the networks that a server's address is on: from each it can be reached without a route.
pub fn on_network_of(server: IpAddr) -> Vec<IpAddr> {
    let mut found = Vec::new();
    for OwnAddress { address, mask, .. } in own_addresses() {
        if let Some(mask) = mask
            && bits(address) & bits(mask) == bits(server) & bits(mask)
            && address.is_ipv4() == server.is_ipv4()
            && !found.contains(&address)
        {
            found.push(address);
        }
    }
    found
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// An address of IP; `None` = it is of another family, or null.
///
/// # Safety
/// `from` is null or points at an address of the length that its family has.
unsafe fn address(from: *const libc::sockaddr) -> Option<IpAddr> {
    // SAFETY: it is null or valid, by the caller.
    let family = i32::from(unsafe { from.as_ref() }?.sa_family);
    match family {
        libc::AF_INET => {
            // SAFETY: the family says what it is; it need not be aligned for that.
            let of = unsafe { from.cast::<libc::sockaddr_in>().read_unaligned() };
            Some(Ipv4Addr::from_bits(u32::from_be(of.sin_addr.s_addr)).into())
        }
        libc::AF_INET6 => {
            // SAFETY: as above.
            let of = unsafe { from.cast::<libc::sockaddr_in6>().read_unaligned() };
            Some(Ipv6Addr::from(of.sin6_addr.s6_addr).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_and_waiting_connections_are_counted() {
        assert_eq!(range("32768\t60999\n"), Some(32_768..=60_999));
        assert_eq!(range("60999 32768"), None);
        assert_eq!(range(""), None);
        let sockets =
            "sockets: used 100\nTCP: inuse 5 orphan 0 tw 28232 alloc 7 mem 1\nUDP: inuse 1 mem 0\n";
        assert_eq!(time_wait(sockets), Some(28_232));
        assert_eq!(time_wait("TCP: inuse 5"), None);
    }

    #[test]
    fn an_address_of_this_machine_is_on_its_own_network() {
        let here = IpAddr::from(Ipv4Addr::LOCALHOST);
        assert!(on_network_of(here).contains(&here));
        // RFC 5737: nobody's network.
        assert_eq!(
            on_network_of(Ipv4Addr::new(198, 51, 100, 1).into()),
            Vec::<IpAddr>::new()
        );
    }
}
