//! The arguments, as `--help` shows them.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::project::settings::{Backend, Level};
use crate::project::{BadRuleName, KnownRule, RuleName, known_rule};
use crate::report::Format;
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
    /// Show the settings in force and where each comes from
    Config(ConfigArguments),
    /// Show what is known of libraries
    Apis(ApisArguments),
    /// Print what a shell completes, or manual pages
    Completions(CompletionsArguments),
    /// Execute a program of N ranks in the companion runtime
    Run(Box<RunArgs>),
    /// Execute fixtures under every schedule, and compare with what they and the linter say
    Prove(ProveArgs),
    /// Serve an editor: the language server protocol over standard input and output
    Server(ServerArguments),
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

    #[command(flatten)]
    pub(super) settings: SettingsArguments,

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

    /// Leave out what is excluded even where it is given
    #[arg(long, help_heading = "Files")]
    pub(super) force_exclude: bool,

    /// Print the files that would be checked, and check none
    #[arg(long, help_heading = "Files")]
    pub(super) show_files: bool,

    /// Fail when there is no file to check
    #[arg(long, help_heading = "Files")]
    pub(super) error_on_no_files: bool,

    /// The name of the file that standard input stands for
    #[arg(long, value_name = "PATH", help_heading = "Files")]
    pub(super) stdin_filename: Option<PathBuf>,

    /// Let everything that is found be known: write it to the baseline [default: unwaited-baseline.json in the root]
    #[arg(long, help_heading = "Adoption")]
    pub(super) write_baseline: bool,

    /// Suppress everything that is found by a comment, with this reason
    #[arg(
        long,
        value_name = "REASON",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        conflicts_with_all = ["write_baseline", "fix", "diff"],
        help_heading = "Adoption"
    )]
    pub(super) add_ignore: Option<String>,

    /// Print how many findings there are of each rule, instead of the findings
    #[arg(long)]
    pub(super) statistics: bool,

    /// Exit with 0 even if there are findings
    #[arg(long)]
    pub(super) exit_zero: bool,

    /// Check again whenever a file changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["write_baseline", "add_ignore", "diff", "show_files"])]
    pub(super) watch: bool,

    /// Read every file, and remember nothing for the next run
    #[arg(long)]
    pub(super) no_cache: bool,

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

/// What can be configured, and where from.
#[derive(Args, Debug, Default)]
pub(super) struct SettingsArguments {
    /// Check these rules only (separated by commas; `unwaited rule` lists them)
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = RuleName::parse, help_heading = "Rules")]
    pub(super) select: Option<Vec<RuleName>>,

    /// Check these rules as well
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = RuleName::parse, help_heading = "Rules")]
    pub(super) extend_select: Option<Vec<RuleName>>,

    /// Do not check these rules
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = RuleName::parse, help_heading = "Rules")]
    pub(super) ignore: Option<Vec<RuleName>>,

    /// Let findings of a rule weigh this much: advice, warning or error
    #[arg(long, value_name = "RULE=LEVEL", value_delimiter = ',', value_parser = weight, help_heading = "Rules")]
    pub(super) severity: Option<Vec<(RuleName, Level)>>,

    /// The backend that the programs run on [default: any]
    #[arg(long, value_enum, help_heading = "Rules")]
    pub(super) backend: Option<BackendChoice>,

    /// Leave out files and folders that match this pattern, in the form of .gitignore
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', help_heading = "Files")]
    pub(super) exclude: Option<Vec<String>>,

    /// Read files that .gitignore and .ignore exclude, too
    #[arg(long, help_heading = "Files")]
    pub(super) no_respect_gitignore: bool,

    /// A configuration file to use, or a setting such as `backend = 'nccl'`
    #[arg(long, value_name = "FILE|KEY=VALUE", help_heading = "Configuration")]
    pub(super) config: Vec<String>,

    /// Do not look for configuration files
    #[arg(long, help_heading = "Configuration")]
    pub(super) isolated: bool,

    /// The findings that are known and not reported again [default: unwaited-baseline.json in the root, if it is there]
    #[arg(long, value_name = "FILE", help_heading = "Adoption")]
    pub(super) baseline: Option<PathBuf>,

    /// The folder of the cache [default: .unwaited_cache in the root of the project]
    #[arg(long, value_name = "FOLDER", env = "UNWAITED_CACHE_DIR", help_heading = "Configuration")]
    pub(super) cache_dir: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct ConfigArguments {
    /// The file or folder whose settings are shown
    #[arg(value_name = "PATH", default_value = ".")]
    pub(super) path: PathBuf,

    #[command(flatten)]
    pub(super) settings: SettingsArguments,

    /// Print the JSON schema of the configuration instead
    #[arg(long)]
    pub(super) schema: bool,

    /// The form of the list
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(super) output_format: ListFormat,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum ListFormat {
    /// For the terminal
    #[default]
    Text,
    /// For programs
    Json,
}

#[derive(Args, Debug)]
pub(super) struct ServerArguments {
    #[command(flatten)]
    pub(super) settings: SettingsArguments,
}

#[derive(Args, Debug)]
pub(super) struct ApisArguments {
    /// A library, a class or a function; `verify` compares with the packages that are installed for Python
    #[arg(value_name = "NAME")]
    pub(super) name: Option<String>,

    /// The interpreter that `verify` asks
    #[arg(long, value_name = "PYTHON", default_value = "python3", env = "UNWAITED_PYTHON")]
    pub(super) python: PathBuf,

    #[command(flatten)]
    pub(super) settings: SettingsArguments,

    /// The form of the list
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(super) output_format: ListFormat,
}

#[derive(Args, Debug)]
pub(super) struct CompletionsArguments {
    /// The shell, or `man`
    #[arg(value_name = "SHELL", value_enum)]
    pub(super) target: Target,

    /// Write a manual page for each command into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(super) directory: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Target {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    /// A manual page
    Man,
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
    /// One row for each finding, for programs
    JsonLines,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub Actions
    Github,
    /// GitLab's code quality
    Gitlab,
    /// JUnit's XML
    Junit,
    /// PyTorch's lintrunner
    Lintrunner,
}

impl From<ReportFormat> for Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Full => Self::Full,
            ReportFormat::Concise => Self::Concise,
            ReportFormat::Json => Self::Json,
            ReportFormat::JsonLines => Self::JsonLines,
            ReportFormat::Sarif => Self::Sarif,
            ReportFormat::Github => Self::Github,
            ReportFormat::Gitlab => Self::Gitlab,
            ReportFormat::Junit => Self::Junit,
            ReportFormat::Lintrunner => Self::Lintrunner,
        }
    }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum BackendChoice {
    /// NVIDIA's collectives, on GPUs
    Nccl,
    /// torch's backend for CPUs
    Gloo,
    /// MPI
    Mpi,
    /// Not known: what fails on some backend is reported
    Any,
}

impl From<BackendChoice> for Backend {
    fn from(choice: BackendChoice) -> Self {
        match choice {
            BackendChoice::Nccl => Self::Nccl,
            BackendChoice::Gloo => Self::Gloo,
            BackendChoice::Mpi => Self::Mpi,
            BackendChoice::Any => Self::Any,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set, or where CLICOLOR_FORCE or FORCE_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Reads `RULE=LEVEL`.
fn weight(text: &str) -> Result<(RuleName, Level), String> {
    let (rule, level) = text.split_once('=').ok_or("write RULE=LEVEL: `busy-poll=warning`")?;
    let rule = RuleName::parse(rule).map_err(|wrong: BadRuleName| wrong.to_string())?;
    Ok((rule, Level::parse(level)?))
}
