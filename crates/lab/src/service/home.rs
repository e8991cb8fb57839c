//! The folder of a private instance, and the user that it runs as.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use photofinish_host as host;
use photofinish_host::{Folder, Host};
use photofinish_model::files::temp::{PREFIX, TempFolder};
use photofinish_model::files::{self, remove};
use serde::{Deserialize, Serialize};

use super::error::Error;

/// The numbers of a user and a group.
pub(super) type Ids = (u32, u32);

/// The user that every machine has for what needs no rights.
const NOBODY: &str = "nobody";

/// The account that a database runs as, which needs no more rights than its files: `None` if photofinish is not root itself.
///
/// # Errors
/// If the machine knows no such user; `what` is the database in words.
pub(super) fn account(host: &Host, what: &str, common: &'static str) -> Result<Option<Ids>, Error> {
    let users = [common, NOBODY];
    match host.account(users.map(str::to_owned).into())? {
        host::Account::Own => Ok(None),
        host::Account::Other(uid, gid) => Ok(Some((uid, gid))),
        host::Account::Missing => Err(Error::NoAccount {
            what: what.to_owned(),
            users,
        }),
    }
}

/// The file in an instance's folder that proves whose it is.
const MARKER: &str = "photofinish-owner.json";

/// Proof that a folder was made by photofinish, for whom and for which run. Nothing is removed after a `kill -9` without it:
/// a results folder may come from anywhere, and its links may lead anywhere.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Marker {
    /// The folder's name, which has random letters.
    id: String,
    /// The user who ran photofinish.
    owner: u32,
    /// The folder that was made for the run's instances.
    parent: PathBuf,
}

impl Marker {
    /// Of the instance `id` of a run with the folder `above`.
    fn new(id: &OsStr, above: &Path) -> Marker {
        Marker {
            id: id.to_string_lossy().into_owned(),
            owner: rustix::process::geteuid().as_raw(),
            parent: above.to_owned(),
        }
    }

    /// Writes it into a new folder, where nothing may be there by its name.
    fn write(&self, folder: &Path) -> io::Result<()> {
        let file = File::create_new(folder.join(MARKER))?;
        Ok(serde_json::to_writer(file, self)?)
    }

    /// Whether it is this one that lies in a folder, as a file of this user's own.
    fn is_in(&self, folder: &Path) -> bool {
        let file = folder.join(MARKER);
        let ours = |meta: &fs::Metadata| meta.is_file() && meta.uid() == self.owner;
        fs::symlink_metadata(&file).is_ok_and(|meta| ours(&meta))
            && files::read(&file, files::WRITTEN)
                .ok()
                .and_then(|text| serde_json::from_slice::<Marker>(&text).ok())
                .is_some_and(|found| found == *self)
    }
}

/// A folder of an instance's own, which is removed when it is dropped.
pub(super) enum Home {
    /// On this machine.
    Local(Below),
    /// One for temporary files of another machine, whose agent removes it at the latest.
    Remote(Folder),
}

impl Home {
    pub(super) fn path(&self) -> &Path {
        match self {
            Home::Local(home) => home.folder.path(),
            Home::Remote(folder) => folder.path(),
        }
    }
}

/// A folder of this machine.
pub(super) struct Below {
    folder: TempFolder,
    /// The folder that was made for the folders of instances.
    above: PathBuf,
}

impl Below {
    /// Where a link to it is, if it lies elsewhere than below the folder that was made for it.
    fn link(&self) -> Option<PathBuf> {
        let folder = self.folder.path();
        let name = folder.file_name()?;
        (folder.parent() != Some(&self.above)).then(|| self.above.join(name))
    }
}

impl Drop for Below {
    fn drop(&mut self) {
        self.folder.remove();
        if let Some(link) = self.link() {
            let _ = fs::remove_file(link);
        }
        // The last one takes the folder above along; a folder that holds anything else stays.
        let _ = fs::remove_dir(&self.above);
    }
}

/// Removes what a run that was killed has left of its instances: folders in the one that was made for them, and those
/// that are linked to from there. What has no [`Marker`] stays, and so does the folder above if it holds such.
pub(super) fn clear(above: &Path) {
    // A link in its place would make another folder ours.
    if !fs::symlink_metadata(above).is_ok_and(|meta| meta.is_dir()) {
        return;
    }
    let Ok(above) = above.canonicalize() else {
        return;
    };
    for entry in fs::read_dir(&above).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        // A link's folder lies where `make` puts them, by the same name; nothing else is looked at.
        let folder = match kind.is_symlink() {
            false => Some(path.clone()),
            true => fs::read_link(&path).ok().filter(|folder| {
                folder.file_name() == Some(&name)
                    && elsewhere()
                        .iter()
                        .any(|place| folder.parent() == Some(place))
            }),
        };
        let Some(folder) = folder.filter(|_| name.to_string_lossy().starts_with(PREFIX)) else {
            continue;
        };
        // Its keeper has removed it, when photofinish was gone.
        if kind.is_symlink() && fs::symlink_metadata(&folder).is_err() {
            let _ = fs::remove_file(&path);
            continue;
        }
        let is_folder = fs::symlink_metadata(&folder).is_ok_and(|meta| meta.is_dir());
        if is_folder && Marker::new(&name, &above).is_in(&folder) {
            match remove::remove(&folder) {
                Ok(()) if kind.is_symlink() => drop(fs::remove_file(&path)),
                Ok(()) => {}
                Err(left) => remove::report(&left),
            }
        }
    }
    let _ = fs::remove_dir(&above);
}

/// Where instances' folders lie that cannot lie beside the results: `/var/tmp` first because that is on a disk.
fn elsewhere() -> [PathBuf; 2] {
    [PathBuf::from("/var/tmp"), std::env::temp_dir()]
}

/// Makes a folder of an instance's own on a host; on this machine below `preferred`.
pub(super) fn make(host: &Host, preferred: &Path, account: Option<Ids>) -> Result<Home, Error> {
    let home = match host.is_here() {
        true => Home::Local(below(preferred, account)?),
        false => Home::Remote(host.temp()?),
    };
    give(host, home.path(), account)?;
    Ok(home)
}

/// Makes a folder of an instance's own on this machine.
///
/// It lies below `preferred`, on the same disk as the results; where its user may not go there
/// (below `/root`), in a folder for temporary files. Then a link below `preferred` leads there, so that it can be found
/// after a `kill -9`.
fn below(preferred: &Path, account: Option<Ids>) -> Result<Below, Error> {
    fs::create_dir_all(preferred).map_err(host::Error::file("create", preferred))?;
    let preferred = preferred
        .canonicalize()
        .map_err(host::Error::file("find", preferred))?;
    let place = std::iter::once(preferred.clone())
        .chain(elsewhere())
        .find(|place| account.is_none() || is_open(place))
        .unwrap_or_else(|| preferred.clone());
    let folder = TempFolder::below(&place, PREFIX);
    let home = Below {
        folder: folder.map_err(host::Error::file("write to", &place))?,
        above: preferred,
    };
    let folder = home.folder.path();
    let name = folder.file_name().unwrap_or_default();
    let marker = Marker::new(name, &home.above);
    marker
        .write(folder)
        .map_err(host::Error::file("write to", folder))?;
    if let Some(link) = home.link() {
        symlink(folder, &link).map_err(host::Error::file("write", &link))?;
    }
    Ok(home)
}

/// Makes a file or a folder an account's own.
fn give(host: &Host, path: &Path, account: Option<Ids>) -> Result<(), Error> {
    account.map_or(Ok(()), |account| Ok(host.give(path.to_owned(), account)?))
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
pub(super) fn write_secret(
    host: &Host,
    path: &Path,
    text: &str,
    account: Option<Ids>,
) -> Result<(), Error> {
    host.write(path, text.as_bytes(), 0o600)?;
    give(host, path, account)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder of `above`'s own, or one elsewhere with a link in `above`; both as [`make`] leaves them.
    fn home(place: &Path, above: &Path) -> Below {
        fs::create_dir_all(above).expect("a folder");
        let folder = TempFolder::below(place, PREFIX);
        let home = Below {
            folder: folder.expect("a folder"),
            above: above.canonicalize().expect("it is there"),
        };
        let folder = home.folder.path();
        let name = folder.file_name().expect("it has one");
        Marker::new(name, &home.above)
            .write(folder)
            .expect("a file");
        fs::create_dir(folder.join("data")).expect("a folder");
        if let Some(link) = home.link() {
            symlink(folder, link).expect("a link");
        }
        home
    }

    #[test]
    fn a_home_that_lies_elsewhere_is_found_again() {
        let root = tempfile::tempdir().expect("a folder");
        let above = root.path().join("services");
        let other = std::env::temp_dir();
        fs::create_dir(&above).expect("a folder");
        let gone = home(&other, &above);
        let path = gone.folder.path().to_owned();
        drop(gone);
        assert!(!path.exists() && !above.exists());

        fs::create_dir(&above).expect("a folder");
        let left = [home(&other, &above), home(&above, &above)];
        let paths = left.each_ref().map(|home| home.folder.path().to_owned());
        left.into_iter().for_each(std::mem::forget);
        clear(&above);
        assert!(paths.iter().all(|path| !path.exists()));
        assert!(!above.exists());
    }

    #[test]
    fn what_no_run_has_made_stays_however_it_is_linked_to() {
        let root = tempfile::tempdir().expect("a folder");
        let above = root.path().join("results/services");
        let other_run = root.path().join("other/services");
        for folder in [&above, &other_run] {
            fs::create_dir_all(folder).expect("a folder");
        }
        let precious = |folder: &Path| {
            fs::create_dir_all(folder).expect("a folder");
            fs::write(folder.join("thesis"), "years").expect("a file");
            folder.to_owned()
        };
        let in_temp = tempfile::Builder::new().prefix(PREFIX).tempdir();
        let in_temp = in_temp.expect("a folder");
        let theirs = home(&std::env::temp_dir(), &other_run);
        let mut safe = vec![
            // A folder of somebody's, by a name like ours, anywhere and where ours lie.
            precious(&root.path().join("photofinish-home")),
            precious(in_temp.path()),
            // One within the results, without a marker.
            precious(&above.join("photofinish-mine")),
            // That of another run, whose marker says so.
            precious(theirs.folder.path()),
        ];
        // One whose marker is a link to another one's.
        let forged = precious(&above.join("photofinish-forged"));
        symlink(theirs.folder.path().join(MARKER), forged.join(MARKER)).expect("a link");
        safe.push(forged);
        for (folder, name) in [
            (&safe[0], "photofinish-home"),
            (&safe[1], "photofinish-other"),
            (&safe[3], "photofinish-theirs"),
        ] {
            symlink(folder, above.join(name)).expect("a link");
        }
        for folder in [&safe[1], &safe[3]] {
            let name = folder.file_name().expect("it has one");
            symlink(folder, above.join(name)).expect("a link");
        }
        clear(&above);
        // And a link in place of the whole folder.
        let link = root.path().join("link");
        symlink(&other_run, &link).expect("a link");
        clear(&link);
        for folder in &safe {
            let text = fs::read_to_string(folder.join("thesis"));
            assert_eq!(text.ok().as_deref(), Some("years"), "{}", folder.display());
        }
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
}
