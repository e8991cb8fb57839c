//! The modules of a crate, and which of its files use which, as the compiler resolves their paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, UseTree, Visibility};

/// The segments of a path in code, such as `crate::build::Cache`.
type Segments = Vec<String>;

/// A file that uses another.
pub type Edge = [String; 2];

#[derive(Default)]
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// The names that `use` brings into scope, with their paths.
    imports: BTreeMap<String, Segments>,
    /// The paths whose items this module's code uses.
    used: BTreeSet<Segments>,
}

/// The modules of a crate without its tests; the first is the crate's root.
pub struct Modules {
    source: PathBuf,
    modules: Vec<Module>,
}

impl Modules {
    /// Reads a crate from its `src`, where each crate has a `lib.rs` or a `main.rs`.
    pub fn read(source: &Path) -> Modules {
        let mut read = Modules {
            source: source.to_owned(),
            modules: Vec::new(),
        };
        let roots = ["lib.rs", "main.rs"].map(|name| source.join(name));
        let root = roots.iter().find(|root| root.exists()).expect("a root");
        read.read_file(root, source, None);
        read
    }

    /// The edges from a file to one whose items it uses, both relative to `src`, with a path that does so. An item that one file has
    /// and another passes on is used from both.
    ///
    /// A file may use those in the folder of its name, and they it: only the first way is an edge.
    pub fn edges(&self) -> BTreeMap<Edge, String> {
        let mut edges = BTreeMap::new();
        for (at, module) in self.modules.iter().enumerate() {
            for path in &module.used {
                let mut targets = Vec::new();
                self.resolve(at, path, &mut targets, 0);
                let targets = targets.into_iter().map(|target| &self.modules[target].file);
                for target in targets.filter(|target| !self.is_ancestor(target, &module.file)) {
                    let edge = [&module.file, target].map(|file| {
                        let inside = file.strip_prefix(&self.source).expect("a file of src");
                        inside.to_string_lossy().into_owned()
                    });
                    edges.entry(edge).or_insert_with(|| path.join("::"));
                }
            }
        }
        edges
    }

    /// Whether a file is the other, or the other lies in the folder of its name.
    fn is_ancestor(&self, file: &Path, other: &Path) -> bool {
        let is_root = file == self.modules[0].file;
        is_root || file == other || other.starts_with(file.with_extension(""))
    }

    fn read_file(&mut self, file: &Path, folder: &Path, parent: Option<usize>) -> usize {
        let text = fs::read_to_string(file).expect("a module's file");
        let syntax = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
        self.read_items(syntax.items, file, folder, parent)
    }

    /// Reads a module whose own modules lie in `folder`.
    fn read_items(
        &mut self,
        items: Vec<Item>,
        file: &Path,
        folder: &Path,
        parent: Option<usize>,
    ) -> usize {
        let at = self.modules.len();
        self.modules.push(Module {
            file: file.to_owned(),
            parent,
            ..Module::default()
        });
        for item in items {
            match item {
                Item::Mod(module) if !is_test(&module.attrs) => {
                    let name = module.ident.to_string();
                    let inside = folder.join(&name);
                    let child = match module.content {
                        Some((_, items)) => self.read_items(items, file, &inside, Some(at)),
                        None => self.read_file(&inside.with_extension("rs"), &inside, Some(at)),
                    };
                    self.modules[at].children.insert(name, child);
                }
                Item::Use(import) if !is_test(&import.attrs) => {
                    // Whoever uses a name that is passed on uses the file that has it.
                    let is_passed_on = !matches!(import.vis, Visibility::Inherited);
                    self.modules[at].import(&import.tree, &[], is_passed_on);
                }
                Item::Mod(_) | Item::Use(_) => {}
                item if is_test(attributes(&item)) => {}
                item => paths(item.to_token_stream(), &mut self.modules[at].used),
            }
        }
        at
    }

    /// Follows a path to a module, if it leads to one; else adds the modules that its item stands in or is passed on by.
    fn resolve(
        &self,
        from: usize,
        path: &[String],
        items_of: &mut Vec<usize>,
        depth: usize,
    ) -> Option<usize> {
        let mut at = from;
        for (place, name) in path.iter().enumerate() {
            let is_last = place + 1 == path.len();
            let module = match name.as_str() {
                "crate" => Some(0),
                "self" => Some(at),
                "super" => self.modules[at].parent,
                name => self.named(at, name, is_last, items_of, depth),
            };
            // A first name that the module does not have is of another crate, a type or a value.
            if module.is_none() && place > 0 {
                items_of.push(at);
            }
            at = module?;
        }
        Some(at)
    }

    /// The module that a name of a module is, if it is one. A module and a function may share a name: the last one of a path is the
    /// function.
    fn named(
        &self,
        at: usize,
        name: &str,
        is_last: bool,
        items_of: &mut Vec<usize>,
        depth: usize,
    ) -> Option<usize> {
        let module = &self.modules[at];
        let child = module.children.get(name).copied();
        if child.is_some() && !is_last {
            return child;
        }
        // `use name::name;` may name another crate, which would be followed for ever.
        let path = module.imports.get(name).filter(|_| depth < 16);
        let known = items_of.len();
        let imported = path.and_then(|path| self.resolve(at, path, items_of, depth + 1));
        let is_item = items_of.len() > known;
        imported.or(child.filter(|_| !is_item))
    }
}

impl Module {
    fn import(&mut self, tree: &UseTree, before: &[String], is_passed_on: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let (path, name) = match tree {
            UseTree::Path(path) => {
                return self.import(&path.tree, &with(&path.ident), is_passed_on);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before, is_passed_on);
                }
                return;
            }
            UseTree::Glob(_) => ([before, &["*".to_owned()]].concat(), None),
            UseTree::Name(name) if name.ident == "self" => {
                (before.to_vec(), before.last().cloned())
            }
            UseTree::Name(name) => (with(&name.ident), Some(name.ident.to_string())),
            UseTree::Rename(name) => (with(&name.ident), Some(name.rename.to_string())),
        };
        if !is_passed_on {
            self.used.insert(path.clone());
        }
        if let Some(name) = name {
            self.imports.insert(name, path);
        }
    }
}

/// Adds the paths of at least two segments that some code has, in macros too.
fn paths(code: TokenStream, found: &mut BTreeSet<Segments>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let is_colons = |at: usize| {
        let colon =
            |at| matches!(tokens.get(at), Some(TokenTree::Punct(sign)) if sign.as_char() == ':');
        colon(at) && colon(at + 1)
    };
    let mut at = 0;
    while at < tokens.len() {
        let mut path = Segments::new();
        while let Some(TokenTree::Ident(name)) = tokens.get(at) {
            path.push(name.to_string());
            at += 1;
            if !is_colons(at) {
                break;
            }
            at += 2;
        }
        if path.is_empty() {
            if let TokenTree::Group(group) = &tokens[at] {
                paths(group.stream(), found);
            }
            at += 1;
        } else if is_colons(at.wrapping_sub(2))
            && let Some(TokenTree::Group(group)) = tokens.get(at)
        {
            // `use a::{b, c::d};` within a function.
            let mut inside = Segments::new();
            for token in group.stream() {
                match token {
                    TokenTree::Ident(name) => inside.push(name.to_string()),
                    TokenTree::Punct(sign) if sign.as_char() == ',' => {
                        found.insert([path.as_slice(), &std::mem::take(&mut inside)].concat());
                    }
                    _ => {}
                }
            }
            found.insert([path, inside].concat());
            at += 1;
        } else if path.len() > 1 {
            found.insert(path);
        }
    }
}

/// Whether an item is there in tests only, or for those of other crates.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let condition = attribute.meta.to_token_stream().to_string();
        condition == "cfg (test)" || condition.starts_with("cfg (any (test")
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        _ => &[],
    }
}
