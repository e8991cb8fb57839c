//! `photofinish completions` and `photofinish man`: what shells and `man` are to know of the command line, made from it.

use clap::CommandFactory;
use photofinish_study::advice;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::exit::Failure;
use crate::out;

const NAME: &str = "photofinish";

pub fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
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
