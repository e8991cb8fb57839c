//! Lists: every two of some, and some by what they have in common.

/// Every two of these, in their order.
pub fn pairs<T: Copy>(all: &[T]) -> impl Iterator<Item = (T, T)> {
    let first = all.iter().enumerate();
    first.flat_map(|(place, a)| all[place + 1..].iter().map(move |b| (*a, *b)))
}

/// These by their keys, in the order in which they come.
pub fn by_key<K: PartialEq, V>(all: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}
