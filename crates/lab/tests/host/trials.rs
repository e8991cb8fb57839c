//! Lists of tests.

/// A list of tests, each a function with the test's name.
macro_rules! trials {
    ($($test:ident),+ $(,)?) => {
        vec![$(libtest_mimic::Trial::test(stringify!($test), $test)),+]
    };
}

pub(crate) use trials;
