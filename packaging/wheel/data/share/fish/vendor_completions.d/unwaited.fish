# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_unwaited_global_optspecs
    string join \n h/help V/version
end

function __fish_unwaited_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_unwaited_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_unwaited_using_subcommand
    set -l cmd (__fish_unwaited_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c unwaited -n "__fish_unwaited_needs_command" -s h -l help -d 'Print help'
complete -c unwaited -n "__fish_unwaited_needs_command" -s V -l version -d 'Print version'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "check" -d 'Check files and folders'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "rule" -d 'Explain one rule, or list all of them'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "config" -d 'Show the settings in force and where each comes from'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "apis" -d 'Show what is known of libraries'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "completions" -d 'Print what a shell completes, or manual pages'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "run" -d 'Execute a program of N ranks in the companion runtime'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "prove" -d 'Execute fixtures under every schedule, and compare with what they and the linter say'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "server" -d 'Serve an editor: the language server protocol over standard input and output'
complete -c unwaited -n "__fish_unwaited_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l output-format -d 'The form of the report' -r -f -a "full\t'Every finding with its source and its story'
concise\t'One row for each finding'
json\t'One array, for programs'
json-lines\t'One row for each finding, for programs'
sarif\t'SARIF 2.1.0, for code scanning'
github\t'Annotations of GitHub Actions'
gitlab\t'GitLab\'s code quality'
junit\t'JUnit\'s XML'
lintrunner\t'PyTorch\'s lintrunner'"
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -s o -l output-file -d 'Write the report to this file instead of standard output' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l select -d 'Check these rules only (separated by commas; `unwaited rule` lists them)' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l extend-select -d 'Check these rules as well' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l ignore -d 'Do not check these rules' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l severity -d 'Let findings of a rule weigh this much: advice, warning or error' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l backend -d 'The backend that the programs run on [default: any]' -r -f -a "nccl\t'NVIDIA\'s collectives, on GPUs'
gloo\t'torch\'s backend for CPUs'
mpi\t'MPI'
any\t'Not known: what fails on some backend is reported'"
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l exclude -d 'Leave out files and folders that match this pattern, in the form of .gitignore' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l config -d 'A configuration file to use, or a setting such as `backend = \'nccl\'`' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l baseline -d 'The findings that are known and not reported again [default: unwaited-baseline.json in the root, if it is there]' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l cache-dir -d 'The folder of the cache [default: .unwaited_cache in the root of the project]' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l stdin-filename -d 'The name of the file that standard input stands for' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l add-ignore -d 'Suppress everything that is found by a comment, with this reason' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l jobs -d 'How many threads to use [default: as many as there are processors]' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l color -d 'When to colour the report' -r -f -a "auto\t'On a terminal, unless NO_COLOR is set, or where CLICOLOR_FORCE or FORCE_COLOR is set'
always\t'Always'
never\t'Never'"
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l no-respect-gitignore -d 'Read files that .gitignore and .ignore exclude, too'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l isolated -d 'Do not look for configuration files'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l fix -d 'Fix what can be fixed safely, and report the rest'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l unsafe-fixes -d 'Fix also where a person should look at the result'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l diff -d 'Print what the fixes would change, and change nothing'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l exit-non-zero-on-fix -d 'Exit with 1 if a file was fixed, even if nothing is left'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l force-exclude -d 'Leave out what is excluded even where it is given'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l show-files -d 'Print the files that would be checked, and check none'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l error-on-no-files -d 'Fail when there is no file to check'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l write-baseline -d 'Let everything that is found be known: write it to the baseline [default: unwaited-baseline.json in the root]'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l statistics -d 'Print how many findings there are of each rule, instead of the findings'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l exit-zero -d 'Exit with 0 even if there are findings'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l watch -d 'Check again whenever a file changes, until Ctrl-C'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -l no-cache -d 'Read every file, and remember nothing for the next run'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -s q -l quiet -d 'Print findings only'
complete -c unwaited -n "__fish_unwaited_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c unwaited -n "__fish_unwaited_using_subcommand rule" -l output-format -d 'The form of the explanation' -r -f -a "text\t'For the terminal'
json\t'For programs'
markdown\t'For documents'"
complete -c unwaited -n "__fish_unwaited_using_subcommand rule" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l select -d 'Check these rules only (separated by commas; `unwaited rule` lists them)' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l extend-select -d 'Check these rules as well' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l ignore -d 'Do not check these rules' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l severity -d 'Let findings of a rule weigh this much: advice, warning or error' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l backend -d 'The backend that the programs run on [default: any]' -r -f -a "nccl\t'NVIDIA\'s collectives, on GPUs'
gloo\t'torch\'s backend for CPUs'
mpi\t'MPI'
any\t'Not known: what fails on some backend is reported'"
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l exclude -d 'Leave out files and folders that match this pattern, in the form of .gitignore' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l config -d 'A configuration file to use, or a setting such as `backend = \'nccl\'`' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l baseline -d 'The findings that are known and not reported again [default: unwaited-baseline.json in the root, if it is there]' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l cache-dir -d 'The folder of the cache [default: .unwaited_cache in the root of the project]' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l output-format -d 'The form of the list' -r -f -a "text\t'For the terminal'
json\t'For programs'"
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l no-respect-gitignore -d 'Read files that .gitignore and .ignore exclude, too'
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l isolated -d 'Do not look for configuration files'
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -l schema -d 'Print the JSON schema of the configuration instead'
complete -c unwaited -n "__fish_unwaited_using_subcommand config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l python -d 'The interpreter that `verify` asks' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l select -d 'Check these rules only (separated by commas; `unwaited rule` lists them)' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l extend-select -d 'Check these rules as well' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l ignore -d 'Do not check these rules' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l severity -d 'Let findings of a rule weigh this much: advice, warning or error' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l backend -d 'The backend that the programs run on [default: any]' -r -f -a "nccl\t'NVIDIA\'s collectives, on GPUs'
gloo\t'torch\'s backend for CPUs'
mpi\t'MPI'
any\t'Not known: what fails on some backend is reported'"
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l exclude -d 'Leave out files and folders that match this pattern, in the form of .gitignore' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l config -d 'A configuration file to use, or a setting such as `backend = \'nccl\'`' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l baseline -d 'The findings that are known and not reported again [default: unwaited-baseline.json in the root, if it is there]' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l cache-dir -d 'The folder of the cache [default: .unwaited_cache in the root of the project]' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l output-format -d 'The form of the list' -r -f -a "text\t'For the terminal'
json\t'For programs'"
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l no-respect-gitignore -d 'Read files that .gitignore and .ignore exclude, too'
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -l isolated -d 'Do not look for configuration files'
complete -c unwaited -n "__fish_unwaited_using_subcommand apis" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c unwaited -n "__fish_unwaited_using_subcommand completions" -l directory -d 'Write a manual page for each command into this folder' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -s n -l ranks -d 'How many ranks run the script [default: what its header says, or 2]' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l policy -d 'How sends and transfers behave' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l replay -d 'Repeat the run of this token' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l on -d 'Run on the real library instead' -r -f -a "torch\t'torch, with the backend that the script names'
mpi\t'mpi4py under mpirun'"
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l timeline -d 'Draw the ranks over virtual time into an SVG file' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l trace -d 'Write a Chrome trace, which Perfetto opens' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l latency -d 'Seconds that an empty message takes' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l bandwidth -d 'Bytes that follow in a second' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l time-limit -d 'End the run after so many seconds of real time' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l python -d 'The Python interpreter' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l output-format -d 'How the verdict is told' -r -f -a "full\t'As text, on standard error'
json\t'As JSON, on standard output; the ranks then print on standard error'"
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -l blocking -d 'Run every asynchronous call as its blocking form'
complete -c unwaited -n "__fish_unwaited_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c unwaited -n "__fish_unwaited_using_subcommand prove" -l bound -d 'Schedules to run for each policy at most' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand prove" -l python -d 'The Python interpreter' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand prove" -l json -d 'Print the table as JSON'
complete -c unwaited -n "__fish_unwaited_using_subcommand prove" -s h -l help -d 'Print help'
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l select -d 'Check these rules only (separated by commas; `unwaited rule` lists them)' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l extend-select -d 'Check these rules as well' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l ignore -d 'Do not check these rules' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l severity -d 'Let findings of a rule weigh this much: advice, warning or error' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l backend -d 'The backend that the programs run on [default: any]' -r -f -a "nccl\t'NVIDIA\'s collectives, on GPUs'
gloo\t'torch\'s backend for CPUs'
mpi\t'MPI'
any\t'Not known: what fails on some backend is reported'"
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l exclude -d 'Leave out files and folders that match this pattern, in the form of .gitignore' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l config -d 'A configuration file to use, or a setting such as `backend = \'nccl\'`' -r
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l baseline -d 'The findings that are known and not reported again [default: unwaited-baseline.json in the root, if it is there]' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l cache-dir -d 'The folder of the cache [default: .unwaited_cache in the root of the project]' -r -F
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l no-respect-gitignore -d 'Read files that .gitignore and .ignore exclude, too'
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -l isolated -d 'Do not look for configuration files'
complete -c unwaited -n "__fish_unwaited_using_subcommand server" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "check" -d 'Check files and folders'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "rule" -d 'Explain one rule, or list all of them'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "config" -d 'Show the settings in force and where each comes from'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "apis" -d 'Show what is known of libraries'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "completions" -d 'Print what a shell completes, or manual pages'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "run" -d 'Execute a program of N ranks in the companion runtime'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "prove" -d 'Execute fixtures under every schedule, and compare with what they and the linter say'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "server" -d 'Serve an editor: the language server protocol over standard input and output'
complete -c unwaited -n "__fish_unwaited_using_subcommand help; and not __fish_seen_subcommand_from check rule config apis completions run prove server help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
