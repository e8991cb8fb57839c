//! This machine.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, io, thread};

use photofinish_model::files::remove;
use photofinish_model::files::temp::{PREFIX, TempFolder};
use photofinish_model::network::Interface;
use photofinish_model::{Address, LONGEST_SOCKET_PATH};
use socket2::{Socket, Type};

use super::hiccup::{self, FINE};
use super::{
    Cpu, Error, Facts, Files, Folder, InterfaceQuery, Lock, Machine, Meter, cores, cpus, interface,
    reference, sys,
};

/// How often a wait looks for an interruption. A build takes seconds; this delays it by nothing that counts.
const LOOK: Duration = Duration::from_millis(20);

/// This machine, and its files.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThisMachine;

impl Machine for ThisMachine {
    fn name(&self) -> String {
        "this machine".to_owned()
    }

    fn cores(&self) -> usize {
        thread::available_parallelism().map_or(1, usize::from)
    }

    fn cpus(&self) -> Result<Vec<Cpu>, Error> {
        cpus::take()
    }

    fn facts(&self) -> Result<Facts, Error> {
        Ok(Facts::take(&sys::affinity().unwrap_or_default()))
    }

    fn allow_open_files(&self, needed: u64) -> Result<(), u64> {
        sys::allow_open_files(needed)
    }

    fn own_cpu(&self) -> Option<Duration> {
        Some(cores::own())
    }

    fn hiccups(&self, cpu: Option<usize>) -> Box<dyn Meter> {
        Box::new(hiccup::hiccups(cpu, FINE))
    }

    fn reference(&self, cpu: usize) -> Box<dyn Meter> {
        Box::new(reference::reference(cpu))
    }

    fn wakes(&self, cpu: usize) -> Box<dyn Meter> {
        Box::new(hiccup::wakes(cpu))
    }

    fn interface(&self, way: InterfaceQuery) -> Option<Interface> {
        interface::interface(way)
    }

    fn connect(&self, address: &Address, within: Duration) -> io::Result<Socket> {
        let to = address.to_system()?;
        let socket = Socket::new(to.domain(), Type::STREAM, None)?;
        socket.connect_timeout(&to, within)?;
        Ok(socket)
    }
}

impl Files for ThisMachine {
    fn are_here(&self) -> bool {
        true
    }

    fn lock(&self, path: &Path, interrupted: &dyn Fn() -> bool) -> Result<Lock, Error> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(file("make", folder))?;
        }
        let options = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path);
        let lock = options.map_err(file("write", path))?;
        loop {
            match File::try_lock(&lock) {
                Ok(()) => return Ok(Lock::new(lock)),
                Err(TryLockError::WouldBlock) if interrupted() => return Err(Error::Interrupted),
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
                Err(TryLockError::Error(e)) => return Err(file("lock", path)(e)),
            }
        }
    }

    fn has(&self, path: &Path) -> Result<bool, Error> {
        Ok(path.exists())
    }

    fn put(&self, from: &Path, files: &[PathBuf], to: &Path) -> Result<(), Error> {
        remove::remove(to).map_err(|left| file("empty", to)(left.into()))?;
        fs::create_dir_all(to).map_err(file("make", to))?;
        for path in files {
            let (from, to) = (from.join(path), to.join(path));
            let copied = || -> io::Result<()> {
                if let Some(folder) = to.parent() {
                    fs::create_dir_all(folder)?;
                }
                match from.symlink_metadata()?.is_symlink() {
                    true => symlink(from.read_link()?, &to),
                    false => fs::copy(&from, &to).map(drop),
                }
            };
            copied().map_err(file("copy", &from))?;
        }
        Ok(())
    }

    fn write(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), Error> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(mode);
        let written = options.open(path).and_then(|mut f| f.write_all(bytes));
        written.map_err(file("write", path))
    }

    fn give(&self, path: &Path, (uid, gid): (u32, u32)) -> Result<(), Error> {
        chown(path, Some(uid), Some(gid)).map_err(file("change the owner of", path))
    }

    fn temp(&self) -> Result<Folder, Error> {
        let folder = env::temp_dir();
        let folder = match folder.as_os_str().len() {
            ..=LONGEST_TEMP => folder,
            _ => PathBuf::from("/tmp"),
        };
        let temp = TempFolder::below(&folder, PREFIX).map_err(Error::Temp)?;
        Ok(Folder::new(temp.path().to_owned(), temp))
    }
}

/// The longest path of the system's temporary folder that leaves room for a Unix socket in a folder of ours.
const LONGEST_TEMP: usize = LONGEST_SOCKET_PATH - 40;

/// An error about a file.
fn file<'a>(verb: &'static str, path: &'a Path) -> impl Fn(io::Error) -> Error + 'a {
    move |source| Error::File {
        verb,
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn files_are_put_with_their_modes_and_links() {
        let [from, to] = [(); 2].map(|()| tempfile::tempdir().expect("there is room"));
        fs::create_dir(from.path().join("bin")).expect("there is room");
        fs::write(from.path().join("bin/run"), "x").expect("there is room");
        fs::set_permissions(
            from.path().join("bin/run"),
            fs::Permissions::from_mode(0o755),
        )
        .expect("it is ours");
        symlink("bin/run", from.path().join("link")).expect("there is room");
        let folder = to.path().join("new");
        fs::create_dir(&folder).expect("there is room");
        fs::write(folder.join("old"), "x").expect("there is room");
        let files = ["bin/run", "link"].map(PathBuf::from);
        ThisMachine
            .put(from.path(), &files, &folder)
            .expect("it is put");
        let mode = |path: &str| {
            folder
                .join(path)
                .metadata()
                .expect("it is there")
                .permissions()
        };
        assert_eq!(mode("bin/run").mode() & 0o777, 0o755);
        assert_eq!(
            folder.join("link").read_link().expect("a link"),
            PathBuf::from("bin/run")
        );
        assert!(!folder.join("old").exists());
        assert!(ThisMachine.has(&folder.join("link")).expect("it is known"));
    }

    #[test]
    fn a_temporary_folder_goes_with_its_holder() {
        let folder = ThisMachine.temp().expect("there is room");
        let path = folder.path().to_owned();
        assert!(path.is_dir());
        drop(folder);
        assert!(!path.exists());
    }
}
