//! The printed IR of a small program.

use unwaited::frontend::{ModuleName, python::lower};

/// The functions that a program is lowered to; the top level only where it does something.
pub(crate) fn ir(text: &str) -> String {
    let lowered = lower(text, &ModuleName { dotted: "pkg.sub.mod".to_owned(), package: false });
    assert!(lowered.problems.is_empty(), "{:?}", lowered.problems);
    let faults = lowered.unit.faults();
    assert!(faults.is_empty(), "{faults:?}");
    let printed = lowered.unit.functions.iter().map(|it| it.to_string());
    let shown = printed.filter(|it| it != "function <module>() TopLevel\nb0:\n    return None\n");
    shown.collect::<Vec<_>>().join("\n")
}
