//! `unwaited check`.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use super::arguments::{CheckArguments, ColorChoice};
use super::output::{Output, tell};
use super::progress::Bar;
use super::{Exit, fail, fix, ignore, settings, watch};
use crate::project::{self, BaselineUse, CacheUse, GivenPaths, Input, Options, Outcome, reason};
use crate::report::{self, Closing, Colour, Content, Format, Links, Look};
use crate::rules::{Applicability, Severity};

/// The columns of a report that does not go to a terminal.
const WIDTH: usize = 100;
/// The fewest columns that a report can be drawn in.
const NARROWEST: usize = 40;

pub(super) fn run(arguments: &CheckArguments) -> Exit {
    if !arguments.watch {
        return run_once(arguments);
    }
    if arguments.paths.iter().any(|path| path == Path::new("-")) {
        return fail("`--watch` waits for files to change, and `-` reads standard input");
    }
    watch::run(arguments, || run_once(arguments))
}

fn run_once(arguments: &CheckArguments) -> Exit {
    let options = match options(arguments) {
        Ok(options) => options,
        Err(message) => return fail(&message),
    };
    if arguments.statistics && !Format::from(arguments.output_format).has_statistics() {
        return fail("`--statistics` goes with the formats full, concise and json");
    }
    if arguments.show_files {
        return show_files(arguments, &options);
    }
    let input = match input(arguments) {
        Ok(input) => input,
        Err(message) => return fail(&message),
    };
    let given = match &input {
        Input::Text { bytes, .. } if arguments.fix && !arguments.diff => Some(bytes.clone()),
        Input::Text { .. } | Input::Paths(_) => None,
    };
    let bar = Bar::new();
    let outcome = project::check(input, &options, &bar);
    bar.clear();
    match outcome {
        Ok(outcome) => conclude(arguments, given.as_deref(), &outcome),
        Err(message) => fail(&message),
    }
}

/// Reports, and writes what was fixed; `given` is a text from standard input, which goes to standard output with its fixes.
fn conclude(arguments: &CheckArguments, given: Option<&[u8]>, outcome: &Outcome) -> Exit {
    if !arguments.quiet {
        outcome.notes.iter().for_each(|note| tell("warning", note));
        outcome.written.iter().for_each(|written| tell("note", written));
    }
    if outcome.files == 0 && !Format::from(arguments.output_format).is_for_people() {
        tell("warning", "there is no file to check");
    }
    if let Some(reason) = &arguments.add_ignore {
        return ignore::add(arguments, reason, outcome);
    }
    if arguments.diff {
        return fix::show(outcome, &Output::to(arguments.output_file.as_deref()));
    }
    let written = match given {
        Some(bytes) => fix::pass_on(bytes, &outcome.changes),
        None => fix::write(&outcome.changes),
    };
    if let Err(message) =
        print(arguments, if given.is_some() { Taken::Text } else { Taken::Nothing }, outcome)
    {
        return fail(&message);
    }
    if let Err(message) = written {
        return fail(&message);
    }
    if arguments.error_on_no_files && outcome.files == 0 {
        return fail("there is no file to check");
    }
    let found = outcome.reaches(Severity::Warning) && !arguments.exit_zero;
    let fixed = arguments.exit_non_zero_on_fix && !outcome.changes.is_empty();
    if outcome.is_incomplete() {
        Exit::Failed
    } else if found || fixed {
        Exit::Found
    } else {
        Exit::Clean
    }
}

fn print(arguments: &CheckArguments, taken: Taken, outcome: &Outcome) -> Result<(), String> {
    let path = arguments.output_file.as_deref();
    let failed = |error: io::Error| match path {
        Some(path) => format!("the report cannot be written to `{}`: {}", path.display(), reason(&error)),
        None => format!("the report cannot be written: {}", reason(&error)),
    };
    let output = match (taken, path) {
        (Taken::Text, None) => Output::Error,
        (Taken::Text | Taken::Nothing, _) => Output::to(path),
    };
    let look = look(arguments, &output);
    output.write(|out| report::write(outcome, &look, out)).map_err(failed)
}

/// What has been written to standard output already.
#[derive(Clone, Copy)]
enum Taken {
    /// The fixed text of standard input: the report goes to standard error.
    Text,
    Nothing,
}

fn options(arguments: &CheckArguments) -> Result<Options, String> {
    Ok(Options {
        resolver: Arc::new(settings::resolver(&arguments.settings)?),
        given_paths: match arguments.force_exclude {
            true => GivenPaths::LeftOutToo,
            false => GivenPaths::Read,
        },
        baseline: match arguments.write_baseline {
            true => BaselineUse::Written,
            false => BaselineUse::Compared,
        },
        cache: match arguments.no_cache {
            true => CacheUse::Forgets,
            false => CacheUse::Remembers,
        },
        jobs: arguments.jobs,
        fix: (arguments.fix || arguments.diff).then_some(match arguments.unsafe_fixes {
            true => Applicability::Unsafe,
            false => Applicability::Safe,
        }),
    })
}

fn input(arguments: &CheckArguments) -> Result<Input, String> {
    let is_standard = |path: &std::path::PathBuf| path == Path::new("-");
    if !arguments.paths.iter().any(is_standard) {
        return match arguments.stdin_filename {
            Some(_) => Err("`--stdin-filename` goes with `-`, which reads standard input".to_owned()),
            None => Ok(Input::Paths(arguments.paths.clone())),
        };
    }
    if arguments.paths.len() > 1 {
        return Err("`-` reads standard input, and cannot be given with other paths".to_owned());
    }
    if arguments.write_baseline {
        return Err("a baseline is about files, and `-` reads standard input".to_owned());
    }
    if arguments.add_ignore.is_some() {
        return Err("`--add-ignore` changes files, and `-` reads standard input".to_owned());
    }
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(|error| format!("standard input cannot be read: {}", reason(&error)))?;
    Ok(Input::Text { bytes, name: arguments.stdin_filename.clone() })
}

fn show_files(arguments: &CheckArguments, options: &Options) -> Exit {
    let found = match project::find_files(&arguments.paths, options) {
        Ok(found) => found,
        Err(error) => return fail(&error.to_string()),
    };
    let list = |out: &mut dyn Write| found.files.iter().try_for_each(|file| writeln!(out, "{}", file.name()));
    if let Err(error) = Output::to(arguments.output_file.as_deref()).write(list) {
        return fail(&format!("the list cannot be written: {}", reason(&error)));
    }
    for (path, why) in &found.unreadable {
        fail(&format!("`{}` cannot be read: {why}", path.display()));
    }
    if found.unreadable.is_empty() { Exit::Clean } else { Exit::Failed }
}

fn look(arguments: &CheckArguments, output: &Output) -> Look {
    Look {
        format: arguments.output_format.into(),
        content: if arguments.statistics { Content::Statistics } else { Content::Findings },
        closing: if arguments.quiet { Closing::Omitted } else { Closing::Printed },
        colour: colour(arguments.color, output),
        links: match arguments.color {
            ColorChoice::Auto if output.has_links() => Links::Written,
            ColorChoice::Auto | ColorChoice::Always | ColorChoice::Never => Links::Absent,
        },
        width: output.width().unwrap_or(WIDTH).max(NARROWEST),
    }
}

fn colour(choice: ColorChoice, output: &Output) -> Colour {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_forced = |name: &str| is_set(name) && std::env::var_os(name).is_some_and(|value| value != "0");
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match choice {
        ColorChoice::Always => Colour::Coloured,
        ColorChoice::Never => Colour::Plain,
        ColorChoice::Auto if is_set("NO_COLOR") => Colour::Plain,
        ColorChoice::Auto if is_forced("CLICOLOR_FORCE") || is_forced("FORCE_COLOR") => Colour::Coloured,
        ColorChoice::Auto if std::env::var_os("CLICOLOR").is_some_and(|value| value == "0") => Colour::Plain,
        ColorChoice::Auto if output.is_terminal() && !dumb => Colour::Coloured,
        ColorChoice::Auto => Colour::Plain,
    }
}
