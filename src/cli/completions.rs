//! `unwaited completions`: what shells complete, and manual pages.

use std::io;
use std::path::Path;

use clap::CommandFactory;

use super::arguments::{Arguments, CompletionsArguments, Target};
use super::output::{Output, tell};
use super::{Exit, fail};
use crate::project::{reason, replace_file};

pub(super) fn run(arguments: &CompletionsArguments) -> Exit {
    let written = match (arguments.target, &arguments.directory) {
        (Target::Man, Some(folder)) => pages(folder),
        (Target::Man, None) => print(&|out| clap_mangen::Man::new(Arguments::command()).render(out)),
        (_, Some(_)) => {
            return fail("`--directory` is for manual pages: `unwaited completions man --directory DIR`");
        }
        (target, None) => print(&|out| complete(target, out)),
    };
    match written {
        Ok(()) => Exit::Clean,
        Err(error) => fail(&format!("it cannot be written: {}", reason(&error))),
    }
}

fn print(what: &dyn Fn(&mut Vec<u8>) -> io::Result<()>) -> io::Result<()> {
    let mut text = Vec::new();
    what(&mut text)?;
    Output::Standard.write(|out| out.write_all(&text))
}

fn complete(target: Target, out: &mut Vec<u8>) -> io::Result<()> {
    use clap_complete::Shell;
    let shell = match target {
        Target::Bash => Shell::Bash,
        Target::Elvish => Shell::Elvish,
        Target::Fish => Shell::Fish,
        Target::Powershell => Shell::PowerShell,
        Target::Zsh => Shell::Zsh,
        Target::Man => return Ok(()),
    };
    clap_complete::generate(shell, &mut Arguments::command(), "unwaited", out);
    Ok(())
}

/// Writes a page for the program and one for each command.
fn pages(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut program = Arguments::command();
    program.build();
    let commands = program.get_subcommands().filter(|command| command.get_name() != "help");
    let named = commands.map(|command| (format!("unwaited-{}", command.get_name()), command.clone()));
    let all = std::iter::once(("unwaited".to_owned(), program.clone())).chain(named);
    for (name, command) in all {
        let mut text = Vec::new();
        clap_mangen::Man::new(command).render(&mut text)?;
        let path = folder.join(format!("{name}.1"));
        replace_file(&path, &text)?;
        tell("note", &format!("wrote `{}`", path.display()));
    }
    Ok(())
}
