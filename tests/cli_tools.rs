//! `unwaited apis` and `unwaited completions`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod transcript;

use transcript::Folder;

#[test]
fn a_function_of_the_catalogue() {
    let folder = Folder::with(&[]);
    insta::assert_snapshot!(folder.unwaited("apis mpi4py.MPI.Comm.Isend"), @r"
    $ unwaited apis mpi4py.MPI.Comm.Isend
    mpi4py.MPI.Comm.Isend(buf, dest, tag)
      library    mpi4py
      does       start
      kind       point-to-point
      gives      mpi4py.MPI.Request
      buffers    buf
      blocking   Comm.Send
      if dropped any: MPI goes on with memory that nothing keeps: wrong data, or the memory of other objects overwritten; the message of a lower-case call is lost
      source     mpi4py 4.1.2, MPI.pyi
    -- exit code 0
    ");
    insta::assert_snapshot!(folder.unwaited("apis isned"), @r"
    $ unwaited apis isned
    -- standard error
    error: the catalogue has nothing that is called `isned`: did you mean `isend`?
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("apis what-is-that"), @r"
    $ unwaited apis what-is-that
    -- standard error
    error: the catalogue has nothing that is called `what-is-that`
    -- exit code 2
    ");
}

#[test]
fn every_library_and_every_function_of_one() {
    let folder = Folder::with(&[]);
    let libraries = folder.unwaited("apis");
    assert!(libraries.contains("\ntorch.distributed ") && libraries.contains("\nmpi4py "), "{libraries}");
    let functions = folder.unwaited("apis mpi4py");
    assert!(functions.lines().count() > 50 && functions.contains("mpi4py.MPI.Comm.Isend("), "{functions}");
    let methods = folder.unwaited("apis Work");
    assert!(methods.contains("torch.distributed.Work.wait("), "{methods}");
}

#[test]
fn a_function_of_the_project() {
    let own = b"[[api]]\nlibrary = 'ours'\nlanguage = 'python'\nmodules = ['ours.comm']\n[[api.function]]\nname = 'push'\nparameters = ['tensor', 'peer']\ndoes = 'start'\nkind = 'point-to-point'\ngives = 'torch.distributed.Work'\n";
    let folder = Folder::with(&[("unwaited.toml", own)]);
    insta::assert_snapshot!(folder.unwaited("apis push --output-format json"), @r#"
    $ unwaited apis push --output-format json
    [
      {
        "path": "ours.comm.push",
        "name": "push",
        "library": "ours",
        "does": "start",
        "kind": "point-to-point",
        "parameters": [
          "tensor",
          "peer"
        ],
        "gives": "torch.distributed.Work",
        "only_if": null,
        "buffers": [],
        "blocking": null,
        "when_dropped": {
          "gloo": "the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang",
          "mpi": "the program is terminated when the handle dies before the message is delivered",
          "nccl": "the operation stays in its stream: a send usually completes, a receive races with whoever reads the buffer"
        },
        "source": ""
      }
    ]
    -- exit code 0
    "#);
}

#[test]
fn completions_for_every_shell() {
    let folder = Folder::with(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = folder.command(&format!("completions {shell}")).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("write-baseline"), "{shell}: {text}");
    }
    insta::assert_snapshot!(folder.unwaited("completions tcsh"), @r"
    $ unwaited completions tcsh
    -- standard error
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh, man]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    -- exit code 2
    ");
    insta::assert_snapshot!(folder.unwaited("completions zsh --directory there"), @r"
    $ unwaited completions zsh --directory there
    -- standard error
    error: `--directory` is for manual pages: `unwaited completions man --directory DIR`
    -- exit code 2
    ");
}

#[test]
fn manual_pages() {
    let folder = Folder::with(&[]);
    assert!(folder.unwaited("completions man").contains(".TH unwaited 1"));
    let told = folder.unwaited("completions man --directory pages");
    assert!(told.ends_with("-- exit code 0\n"), "{told}");
    let page = std::fs::read_to_string(folder.path().join("pages/unwaited-check.1")).unwrap();
    assert!(page.contains(".TH unwaited-check 1") && page.contains("write\\-baseline"), "{page}");
    assert!(folder.path().join("pages/unwaited.1").is_file());
}

#[test]
fn the_catalogue_against_the_standard_library() {
    if std::process::Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: there is no python3 to compare with");
        return;
    }
    let own = b"[[api]]\nlibrary = 'ours'\nlanguage = 'python'\nmodules = ['textwrap']\n[[api.function]]\nname = 'dedent'\nparameters = ['words']\ndoes = 'read'\n[[api.function]]\nname = 'indent'\nparameters = ['text', 'prefix', 'predicate']\ndoes = 'read'\n";
    let folder = Folder::with(&[("unwaited.toml", own)]);
    let shown = folder.unwaited("apis verify");
    assert!(shown.contains("ours: 2 signatures compared"), "{shown}");
    assert!(shown.contains("textwrap.dedent: ['words'] is said, ['text'] is true"), "{shown}");
    assert!(shown.ends_with("-- exit code 1\n"), "{shown}");
    insta::assert_snapshot!(folder.unwaited("apis verify --python no-such-python"), @r"
    $ unwaited apis verify --python no-such-python
    -- standard error
    error: `no-such-python` cannot be run: no such file or directory
    -- exit code 2
    ");
}
