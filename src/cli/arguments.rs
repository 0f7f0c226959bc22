//! The arguments, as `--help` shows them.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::project::{BadRuleName, KnownRule, RuleName, known_rule};
use crate::rules::Severity;
use crate::runtime::command::RunArgs;
use crate::runtime::prove::ProveArgs;

/// Finds asynchronous communication that was started and never properly finished.
#[derive(Debug, Parser)]
#[command(name = "unwaited", version)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Check files and folders
    Check(Box<CheckArguments>),
    /// Explain one rule, or list all of them
    Rule(RuleArguments),
    /// Execute a program of N ranks in the companion runtime
    Run(Box<RunArgs>),
    /// Execute fixtures under every schedule, and compare with what they and the linter say
    Prove(ProveArgs),
    /// Serve an editor: the language server protocol over standard input and output
    Server,
}

#[derive(Args, Debug)]
pub(super) struct CheckArguments {
    /// Files and folders; `-` for standard input
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) paths: Vec<PathBuf>,

    /// The form of the report
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(super) output_format: ReportFormat,

    /// Write the report to this file instead of standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(super) output_file: Option<PathBuf>,

    /// Check these rules only (separated by commas; `unwaited rule` lists them)
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = RuleName::parse, help_heading = "Rules")]
    pub(super) select: Option<Vec<RuleName>>,

    /// Check these rules as well
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = RuleName::parse, help_heading = "Rules")]
    pub(super) extend_select: Vec<RuleName>,

    /// Do not check these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = RuleName::parse, help_heading = "Rules")]
    pub(super) ignore: Vec<RuleName>,

    /// Let findings of a rule weigh this much: advice, warning or error
    #[arg(long, value_name = "RULE=LEVEL", value_delimiter = ',', value_parser = weight, help_heading = "Rules")]
    pub(super) severity: Vec<Weight>,

    /// The backend that the programs run on
    #[arg(long, value_enum, default_value_t, help_heading = "Rules")]
    pub(super) backend: Backend,

    /// Fix what can be fixed safely, and report the rest
    #[arg(long, help_heading = "Fixes")]
    pub(super) fix: bool,

    /// Fix also where a person should look at the result
    #[arg(long, help_heading = "Fixes")]
    pub(super) unsafe_fixes: bool,

    /// Print what the fixes would change, and change nothing
    #[arg(long, help_heading = "Fixes")]
    pub(super) diff: bool,

    /// Exit with 1 if a file was fixed, even if nothing is left
    #[arg(long, help_heading = "Fixes")]
    pub(super) exit_non_zero_on_fix: bool,

    /// Leave out files and folders that match this pattern, in the form of .gitignore
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', help_heading = "Files")]
    pub(super) exclude: Vec<String>,

    /// Read files that .gitignore and .ignore exclude, too
    #[arg(long, help_heading = "Files")]
    pub(super) no_respect_gitignore: bool,

    /// Print the files that would be checked, and check none
    #[arg(long, help_heading = "Files")]
    pub(super) show_files: bool,

    /// Fail when there is no file to check
    #[arg(long, help_heading = "Files")]
    pub(super) error_on_no_files: bool,

    /// The name of the file that standard input stands for
    #[arg(long, value_name = "PATH", help_heading = "Files")]
    pub(super) stdin_filename: Option<PathBuf>,

    /// Do not look for configuration files
    #[arg(long, help_heading = "Files")]
    pub(super) isolated: bool,

    /// Print how many findings there are of each rule, instead of the findings
    #[arg(long)]
    pub(super) statistics: bool,

    /// Exit with 0 even if there are findings
    #[arg(long)]
    pub(super) exit_zero: bool,

    /// How many threads to use [default: as many as there are processors]
    #[arg(long, value_name = "N")]
    pub(super) jobs: Option<NonZeroUsize>,

    /// Print findings only
    #[arg(long, short)]
    pub(super) quiet: bool,

    /// When to colour the report
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(super) color: ColorChoice,
}

#[derive(Args, Debug)]
pub(super) struct RuleArguments {
    /// The rule to explain
    #[arg(value_name = "NAME", value_parser = known_rule)]
    pub(super) name: Option<KnownRule>,

    /// The form of the explanation
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(super) output_format: PageFormat,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum ReportFormat {
    /// Every finding with its source and its story
    #[default]
    Full,
    /// One row for each finding
    Concise,
    /// One array, for programs
    Json,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum PageFormat {
    /// For the terminal
    #[default]
    Text,
    /// For programs
    Json,
    /// For documents
    Markdown,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Backend {
    /// NVIDIA's collectives, on GPUs
    Nccl,
    /// torch's backend for CPUs
    Gloo,
    /// MPI
    Mpi,
    /// Not known: what fails on some backend is reported
    #[default]
    Any,
}

impl Backend {
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Nccl => Some("nccl"),
            Self::Gloo => Some("gloo"),
            Self::Mpi => Some("mpi"),
            Self::Any => None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// `RULE=LEVEL`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    pub(super) rule: RuleName,
    pub(super) severity: Severity,
}

fn weight(text: &str) -> Result<Weight, String> {
    let (rule, level) = text.split_once('=').ok_or("write RULE=LEVEL: `busy-poll=warning`")?;
    let rule = RuleName::parse(rule).map_err(|wrong: BadRuleName| wrong.to_string())?;
    let severities = [Severity::Advice, Severity::Warning, Severity::Error];
    let severity = severities.into_iter().find(|severity| severity.word() == level.trim());
    let severity = severity.ok_or_else(|| format!("`{level}` is no level: advice, warning and error are"))?;
    Ok(Weight { rule, severity })
}
