//! What a stack was doing: the layer that it belongs to, by the rules of `layers.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use photofinish_model::Layer;
use serde::Deserialize;

use crate::fold::Stacks;
use crate::symbols::{COMPILED, JAVA, JVM, KERNEL, NAMELESS, UNKNOWN};

/// Rules, the first that fits first.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    kernel: Vec<Rule>,
    program: Vec<Rule>,
    /// Of Java methods alone.
    java: Vec<Rule>,
    neutral: Neutral,
}

/// Functions, by module and name, that belong to a layer. `*` stands for any characters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    layer: Layer,
    /// Functions of any module.
    #[serde(default)]
    functions: Vec<String>,
    /// Modules all of whose functions belong to it.
    #[serde(default)]
    modules: Vec<String>,
}

/// Modules whose functions work for whoever calls them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Neutral {
    modules: Vec<String>,
    functions: Vec<String>,
    /// Java methods.
    java: Vec<String>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    // The file is part of the program, and read by a test.
    toml::from_str(include_str!("layers.toml")).unwrap_or(Rules {
        kernel: Vec::new(),
        program: Vec::new(),
        java: Vec::new(),
        neutral: Neutral {
            modules: Vec::new(),
            functions: Vec::new(),
            java: Vec::new(),
        },
    })
});

/// How many samples each layer has; a layer without any is not there.
pub fn count(stacks: &Stacks) -> BTreeMap<Layer, u64> {
    let mut layers = BTreeMap::new();
    for (frames, count) in &stacks.seen {
        *layers.entry(layer(frames)).or_default() += count;
    }
    layers
}

/// The layer of a stack, whose outermost frame comes first.
///
/// In the kernel the first rule counts that fits any of its frames. Else, from the innermost frame outwards, the first function
/// that a rule knows; one that works for whoever calls it (the C library's) is passed over; one that no rule knows is the
/// application's, and one without a name unknown.
pub fn layer(frames: &[String]) -> Layer {
    let split = |frame: &String| -> (String, String) {
        let (module, function) = frame.split_once('`').unwrap_or((frame, ""));
        (module.to_owned(), function.to_owned())
    };
    let frames: Vec<(String, String)> = frames.iter().rev().map(split).collect();
    let (kernel, program): (Vec<_>, Vec<_>) =
        frames.iter().partition(|(module, _)| module == KERNEL);
    if !kernel.is_empty() {
        let fits = |rule: &&Rule| kernel.iter().any(|(_, function)| rule.names(function));
        let rule = RULES.kernel.iter().find(fits);
        return rule.map_or(Layer::KernelOther, |rule| rule.layer);
    }
    // Where the chain of calls is lost behind what works for whoever calls it, all that is known is whose file that is in.
    let mut passed = None;
    for (module, function) in program {
        let mut rules = match module.as_str() {
            JAVA => RULES.java.iter(),
            _ => RULES.program.iter(),
        };
        if let Some(rule) = rules.find(|rule| rule.fits(module, function)) {
            return rule.layer;
        }
        match module.as_str() {
            JVM | NAMELESS => return Layer::Compiled,
            module if RULES.neutral.fits(module, function) => {
                let library = module == JAVA || RULES.neutral.is_library(module);
                passed.get_or_insert(match library {
                    true => Layer::Runtime,
                    false => Layer::Application,
                });
            }
            _ if module == UNKNOWN || function == UNKNOWN => {
                return passed.unwrap_or(Layer::Unknown);
            }
            _ => return Layer::Application,
        }
    }
    passed.unwrap_or(Layer::Unknown)
}

/// Whether a Java method is the program's own: no framework's, and not of Java's library.
pub(crate) fn is_the_programs(method: &str) -> bool {
    let known = RULES.java.iter().any(|rule| rule.fits(JAVA, method));
    !known && !RULES.neutral.fits(JAVA, method)
}

impl Rule {
    fn names(&self, function: &str) -> bool {
        let function = bare(function);
        self.functions.iter().any(|pattern| fits(pattern, function))
    }

    fn fits(&self, module: &str, function: &str) -> bool {
        self.modules.iter().any(|pattern| fits(pattern, module)) || self.names(function)
    }
}

impl Neutral {
    fn fits(&self, module: &str, function: &str) -> bool {
        let function = bare(function);
        let known = |list: &[String]| list.iter().any(|pattern| fits(pattern, function));
        match module {
            COMPILED => false,
            JAVA => known(&self.java),
            _ => self.is_library(module) || known(&self.functions),
        }
    }

    /// Whether it is a library that all programs use.
    fn is_library(&self, module: &str) -> bool {
        self.modules.iter().any(|pattern| fits(pattern, module))
    }
}

/// A function's name without what a method's name may begin with: `<&T as Trait>::method` of Rust.
fn bare(function: &str) -> &str {
    function.trim_start_matches(['<', '&', '*', '(', '['])
}

/// Whether a name is as the pattern says, whose `*` stand for any characters.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, others)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let (between, last) = others.rsplit_once('*').unwrap_or(("", others));
    let inner = name
        .strip_prefix(first)
        .and_then(|rest| rest.strip_suffix(last));
    // What stands between must follow in its order; the earliest place leaves the most for what comes after.
    let after = |rest: &str, part: &str| rest.find(part).map(|at| at + part.len());
    inner.is_some_and(|inner| {
        let mut rest = inner;
        between.split('*').all(|part| match after(rest, part) {
            Some(at) => {
                rest = &rest[at..];
                true
            }
            None => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(stack: &str) -> Layer {
        let frames: Vec<String> = stack.split(';').map(str::to_owned).collect();
        layer(&frames)
    }

    #[test]
    fn the_rules_are_read_and_no_layer_is_forgotten() {
        let rules: Rules = toml::from_str(include_str!("layers.toml")).expect("a valid file");
        let rules = (rules.kernel.iter())
            .chain(&rules.program)
            .chain(&rules.java);
        let named: Vec<Layer> = rules.map(|rule| rule.layer).collect();
        // What no rule says is what is left over.
        let left = [
            Layer::Application,
            Layer::KernelOther,
            Layer::Compiled,
            Layer::Unknown,
        ];
        for layer in Layer::ALL {
            assert!(named.contains(layer) != left.contains(layer), "{layer:?}");
        }
    }

    #[test]
    fn a_pattern_fits_a_whole_name() {
        assert!(fits("malloc", "malloc") && !fits("malloc", "malloc_x"));
        assert!(fits("tcp_*", "tcp_sendmsg") && !fits("tcp_*", "mptcp_sendmsg"));
        assert!(fits("*_send*", "a_sendmsg") && fits("a*c", "abcbc") && !fits("a*c", "abcb"));
        assert!(fits("*", "") && fits("libc.so*", "libc.so.6"));
    }

    #[test]
    fn what_the_kernel_does_is_named_by_what_it_was_asked_for() {
        let call =
            "server`main;libc.so.6`send;kernel`entry_SYSCALL_64_after_hwframe;kernel`do_syscall_64";
        let layer = |rest: &str| of(&format!("{call};{rest}"));
        assert_eq!(
            layer("kernel`__x64_sys_sendto;kernel`tcp_sendmsg;kernel`_raw_spin_lock"),
            Layer::KernelSend
        );
        assert_eq!(
            layer("kernel`__x64_sys_recvfrom;kernel`tcp_recvmsg"),
            Layer::KernelReceive
        );
        assert_eq!(
            layer("kernel`__x64_sys_recvfrom;kernel`sk_wait_data;kernel`schedule"),
            Layer::Waiting
        );
        assert_eq!(
            layer("kernel`__x64_sys_futex;kernel`futex_wake"),
            Layer::Waiting
        );
        assert_eq!(
            layer("kernel`__x64_sys_epoll_wait;kernel`ep_poll"),
            Layer::Waiting
        );
        assert_eq!(layer("kernel`__x64_sys_getrandom"), Layer::KernelOther);
        assert_eq!(layer("kernel`[unknown]"), Layer::KernelOther);
        assert_eq!(
            of("server`main;kernel`asm_exc_page_fault;kernel`do_user_addr_fault"),
            Layer::Memory
        );
        assert_eq!(
            of(
                "server`main;kernel`asm_sysvec_call_function_single;kernel`net_rx_action;kernel`tcp_v4_rcv"
            ),
            Layer::KernelReceive
        );
    }

    #[test]
    fn what_the_program_does_is_named_from_the_inside_out() {
        assert_eq!(of("server`main;server`handle"), Layer::Application);
        assert_eq!(
            of("server`main;libc.so.6`__memmove_avx_unaligned_erms"),
            Layer::Application
        );
        assert_eq!(of("server`handle;libc.so.6`malloc"), Layer::Runtime);
        assert_eq!(
            of("server`handle;libssl.so.3`SSL_read;libc.so.6`memcpy"),
            Layer::Tls
        );
        assert_eq!(
            of("server`<rustls::conn::Connection as Read>::read"),
            Layer::Tls
        );
        assert_eq!(
            of("server`net/http.(*conn).serve;server`main.hello"),
            Layer::Application
        );
        assert_eq!(
            of("server`main.hello;server`net/http.Header.Set"),
            Layer::Framework
        );
        assert_eq!(
            of("server`main.hello;server`runtime.mallocgc"),
            Layer::Runtime
        );
        assert_eq!(of("server`hyper::proto::h1::parse"), Layer::Framework);
        assert_eq!(of("node`v8::internal::Scavenger::Process"), Layer::Runtime);
        assert_eq!(
            of("jit`LazyCompile:*onRequest /srv/server.js:3"),
            Layer::Application
        );
        assert_eq!(
            of("jit`JS:*parserOnIncoming node:_http_server:941"),
            Layer::Framework
        );
        assert_eq!(
            of("java`main;libjvm.so`G1ParScanThreadState::copy"),
            Layer::Runtime
        );
        assert_eq!(
            of("jit`io.netty.channel.nio.NioEventLoop::run"),
            Layer::Framework
        );
    }

    #[test]
    fn java_methods_are_named_by_their_package() {
        let thread =
            "java`java.lang.Thread.run;java`java.util.concurrent.ThreadPoolExecutor.runWorker";
        let layer = |rest: &str| of(&format!("{thread};{rest}"));
        assert_eq!(
            layer("java`org.apache.tomcat.util.net.NioEndpoint.run"),
            Layer::Framework
        );
        assert_eq!(
            layer("java`org.apache.coyote.Processor.process;java`shop.Orders.list"),
            Layer::Application
        );
        // What Java's own library does it does for whoever calls it …
        assert_eq!(
            layer(
                "java`shop.Orders.list;java`java.util.HashMap.get;java`java.lang.String.hashCode"
            ),
            Layer::Application
        );
        assert_eq!(
            layer("java`io.netty.channel.nio.NioEventLoop.run;java`sun.nio.ch.SelectorImpl.select"),
            Layer::Framework
        );
        // … and where that is nobody it is the runtime's.
        assert_eq!(of(thread), Layer::Runtime);
        assert_eq!(
            layer("java`sun.security.ssl.SSLEngineImpl.wrap;java`java.util.HashMap.get"),
            Layer::Tls
        );
        assert_eq!(
            layer("java`shop.Orders.list;libjvm.so`OptoRuntime::new_array_C;libc.so.6`memset"),
            Layer::Runtime
        );
        assert_eq!(
            layer("java`shop.Orders.list;jvm`itable stub"),
            Layer::Runtime
        );
        // Packages that have the name of a package of Go's are nobody's framework.
        assert_eq!(of("java`net.shop.Orders.list"), Layer::Application);
        assert_eq!(
            of(
                "libjvm.so`CompileBroker::compiler_thread_loop;libjvm.so`C2Compiler::compile_method"
            ),
            Layer::Runtime
        );
    }

    #[test]
    fn what_has_no_name_is_never_hidden() {
        assert_eq!(of("[unknown]"), Layer::Unknown);
        assert_eq!(of("server`[unknown]"), Layer::Unknown);
        assert_eq!(of("server`main;[JVM, no symbols]"), Layer::Compiled);
        assert_eq!(of("[compiled at run time, no symbols]"), Layer::Compiled);
        assert_eq!(of("[unknown];libc.so.6`memcpy"), Layer::Runtime);
        assert_eq!(
            of("libc.so.6`[unknown];server`<u32 as core::iter::Step>::forward"),
            Layer::Application
        );
        assert_eq!(
            of("libc.so.6`[unknown];server`core::hint::black_box"),
            Layer::Application
        );
        assert_eq!(layer(&[]), Layer::Unknown);
    }
}
