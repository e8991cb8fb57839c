//! `photofinish completions` and `photofinish man`: what shells and `man` are to know of the command line, made from it.

use clap::CommandFactory;
use clap_complete::env::Shells;
use photofinish_study::advice;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::exit::Failure;
use crate::out;

const NAME: &str = "photofinish";

/// The variable by which shells ask for completions, with their name.
pub const COMPLETE: &str = "PHOTOFINISH_COMPLETE";

/// zsh reads the script at the first completion, which it has to answer then.
const FIRST_OF_ZSH: &str = "if [ \"$funcstack[1]\" = \"_photofinish\" ]; then\n    _clap_dynamic_completer_photofinish \"$@\"\nfi\n";

pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let (mut script, name) = (Vec::new(), args.shell.to_string());
    let shells = Shells::builtins();
    let shell = shells.completer(&name);
    let shell = shell.ok_or_else(|| Failure::run(format!("{name} is not a shell")))?;
    shell
        .write_registration(COMPLETE, NAME, NAME, NAME, &mut script)
        .map_err(Failure::run)?;
    if name == "zsh" {
        script.extend(FIRST_OF_ZSH.bytes());
    }
    Ok(out::result(&String::from_utf8_lossy(&script))?)
}

pub fn man(args: &ManArgs) -> Result<(), Failure> {
    let mut program = Cli::command();
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let known = program.get_subcommands().map(clap::Command::get_name);
                return Err(Failure::request(format!(
                    "there is no command `{name}`; {}",
                    advice(name, "commands", known)
                )));
            }
        },
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page)
        .render(&mut roff)
        .map_err(Failure::run)?;
    Ok(out::result(&String::from_utf8_lossy(&roff))?)
}
