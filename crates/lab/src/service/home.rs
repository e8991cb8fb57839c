//! The folder of a private instance, and the user that it runs as.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use photofinish_host::sys;

use super::error::{Error, file};

/// A user and a group.
pub(super) type Account = (u32, u32);

/// Users that may be there to run what refuses root, the most fitting first.
const ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

/// The account for what refuses root: `None` where photofinish is not root itself.
pub(super) fn account() -> Result<Option<Account>, String> {
    if !sys::is_root() {
        return Ok(None);
    }
    // Programs look their own user up, so it must be one that the machine knows.
    let text = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = ACCOUNTS.iter().find_map(|name| parse_account(&text, name));
    found.map(Some).ok_or_else(|| {
        format!(
            "it does not run as root, and there is no user {} to run it as; add one, or do not run photofinish as root",
            ACCOUNTS.join(" or ")
        )
    })
}

fn parse_account(passwd: &str, name: &str) -> Option<Account> {
    let line = passwd
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    let mut fields = line.split(':').skip(1);
    let uid = fields.next()?.parse().ok()?;
    let gid = fields.next()?.parse().ok()?;
    (uid != 0).then_some((uid, gid))
}

/// What the folders of instances are called, before some random letters.
const PREFIX: &str = "photofinish-";

/// A folder of an instance's own, which is removed when it is dropped.
pub(super) struct Home {
    folder: PathBuf,
    /// The folder that was made for the folders of instances.
    above: PathBuf,
}

impl Home {
    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Where a link to it is, if it lies elsewhere than below the folder that was made for it.
    fn link(&self) -> Option<PathBuf> {
        let name = self.folder.file_name()?;
        (self.folder.parent() != Some(&self.above)).then(|| self.above.join(name))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What could not be removed is only disk space.
        let _ = fs::remove_dir_all(&self.folder);
        if let Some(link) = self.link() {
            let _ = fs::remove_file(link);
        }
        // The last one takes the folder above along; a folder that holds anything else stays.
        let _ = fs::remove_dir(&self.above);
    }
}

/// Removes what a run that was killed has left of its instances: a folder that was made for their
/// folders, and those that are linked to from there.
pub(super) fn clear(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if let Some(folder) = fs::read_link(entry.path()).ok().filter(|_| is_ours) {
            let _ = fs::remove_dir_all(folder);
        }
    }
    let _ = fs::remove_dir_all(above);
}

/// Makes a folder of an instance's own.
///
/// It lies below `preferred`, on the same disk as the results; where its user may not go there
/// (below `/root`), in a folder for temporary files, `/var/tmp` first because that is on a disk.
/// Then a link below `preferred` leads there, so that it can be found after a `kill -9`.
pub(super) fn make(preferred: &Path, account: Option<Account>) -> Result<Home, Error> {
    fs::create_dir_all(preferred).map_err(file("create", preferred))?;
    let preferred = preferred.canonicalize().map_err(file("find", preferred))?;
    let place = [
        preferred.clone(),
        PathBuf::from("/var/tmp"),
        std::env::temp_dir(),
    ]
    .into_iter()
    .find(|place| account.is_none() || is_open(place))
    .unwrap_or_else(|| preferred.clone());
    let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(&place);
    let home = Home {
        folder: folder.map_err(file("write to", &place))?.keep(),
        above: preferred,
    };
    if let Some(link) = home.link() {
        symlink(&home.folder, &link).map_err(file("write", &link))?;
    }
    give(home.path(), account)?;
    Ok(home)
}

/// Makes a file or a folder an account's own.
pub(super) fn give(path: &Path, account: Option<Account>) -> Result<(), Error> {
    let Some((uid, gid)) = account else {
        return Ok(());
    };
    chown(path, Some(uid), Some(gid)).map_err(file("change the owner of", path))
}

/// Whether any user may go to a folder.
pub(super) fn is_open(folder: &Path) -> bool {
    let open = |folder: &Path| {
        folder
            .metadata()
            .is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0)
    };
    folder.ancestors().all(open)
}

/// Writes a file that only its owner may read.
pub(super) fn write_secret(path: &Path, text: &str, account: Option<Account>) -> Result<(), Error> {
    fs::write(path, "").map_err(file("write", path))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(file("write", path))?;
    fs::write(path, text).map_err(file("write", path))?;
    give(path, account)
}

/// Copies a folder with everything in it; links stay links.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy(&from, &to)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else {
            fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_those_of_the_machine_and_never_root() {
        let passwd =
            "root:x:0:0:root:/root:/bin/bash\nnobody2:x:5:5::/:/x\nnobody:x:65534:65533:n:/:/x\n";
        assert_eq!(parse_account(passwd, "nobody"), Some((65534, 65533)));
        assert_eq!(parse_account(passwd, "root"), None);
        assert_eq!(parse_account(passwd, "postgres"), None);
    }

    #[test]
    fn a_home_that_lies_elsewhere_is_found_again() {
        let root = tempfile::tempdir().expect("a folder");
        let (above, other) = (root.path().join("services"), root.path().join("tmp"));
        let home = |name: &str| {
            fs::create_dir_all(other.join(name).join("data")).expect("a folder");
            fs::create_dir_all(&above).expect("a folder");
            let home = Home {
                folder: other.join(name),
                above: above.clone(),
            };
            symlink(home.path(), home.link().expect("it lies elsewhere")).expect("a link");
            home
        };
        drop(home("photofinish-a"));
        assert!(!other.join("photofinish-a").exists());
        assert!(!above.exists());

        std::mem::forget(home("photofinish-killed"));
        std::mem::forget(home("somebody-elses"));
        clear(&above);
        assert!(!other.join("photofinish-killed").exists());
        assert!(other.join("somebody-elses").exists());
        assert!(!above.exists());
    }

    #[test]
    fn a_closed_folder_closes_all_below_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permissions");
        assert!(is_open(&inner));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).expect("permissions");
        assert!(!is_open(&inner));
    }

    #[test]
    fn a_copy_keeps_links_and_programs() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join("bin")).expect("a folder");
        fs::write(from.join("bin/a"), "a").expect("a file");
        fs::set_permissions(from.join("bin/a"), fs::Permissions::from_mode(0o755))
            .expect("permissions");
        symlink("bin/a", from.join("b")).expect("a link");
        copy(&from, &to).expect("a copy");
        assert_eq!(
            fs::read_link(to.join("b")).expect("a link"),
            Path::new("bin/a")
        );
        assert_eq!(fs::read_to_string(to.join("b")).expect("a file"), "a");
        let mode = to
            .join("bin/a")
            .metadata()
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755);
    }
}
