//! A project's own functions, in the form of a catalogue file; and what is said of a file that is wrong.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use unwaited::catalog::{Catalog, Does, Library};
use unwaited::source::Language;

const LINKS: &str = r#"
library = "links"
language = "python"
modules = ["ours.links"]

[[class]]
name = "Ticket"
handle = true

[[function]]
name = "post"
parameters = ["payload", "background"]
does = "start"
kind = "point-to-point"
gives = "Ticket"
when = { argument = "background" }

[[function]]
name = "Ticket.settle"
does = "finish"
on = "self"
"#;

/// The error for a file with a passage replaced.
fn error(passage: &str, replacement: &str) -> String {
    assert!(LINKS.contains(passage));
    let text = LINKS.replacen(passage, replacement, 1);
    let library = match Library::parse("unwaited.toml", &text) {
        Ok(library) => library,
        Err(error) => return error.to_string(),
    };
    Catalog::new(Language::Python, &[library]).unwrap_err().to_string()
}

#[test]
fn a_project_s_own_functions_are_found_and_searched_for() {
    let library = Library::parse("unwaited.toml", LINKS).unwrap();
    let catalog = Catalog::new(Language::Python, &[library]).unwrap();
    let post = catalog.api("ours.links.post").unwrap();
    assert_eq!(catalog.class_path(catalog.gives(post).unwrap()), "ours.links.Ticket");
    assert!(catalog.may_communicate(b"links.post(data, background=True)"));
    assert!(catalog.may_communicate(b"links.post(data, now)"));
    assert!(!catalog.may_communicate(b"links.post(data)"));
    assert!(catalog.api("torch.distributed.isend").is_some());
}

#[test]
fn an_addition_replaces_what_has_its_path() {
    let text = r#"
        library = "torch.distributed"
        language = "python"
        modules = ["torch.distributed"]
        [[function]]
        name = "isend"
        does = "nothing"
    "#;
    let library = Library::parse("unwaited.toml", text).unwrap();
    let catalog = Catalog::new(Language::Python, &[library]).unwrap();
    let isend = catalog.api("torch.distributed.isend").unwrap();
    assert_eq!(catalog.function(isend).does, Does::Nothing);
}

#[test]
fn an_addition_that_gives_the_handle_of_a_known_library() {
    let text = LINKS.replacen("gives = \"Ticket\"", "gives = \"torch.distributed.Work\"", 1);
    let library = Library::parse("unwaited.toml", &text).unwrap();
    let catalog = Catalog::new(Language::Python, &[library]).unwrap();
    let post = catalog.api("ours.links.post").unwrap();
    assert!(catalog.drops(post).any(|drop| drop.backend == "gloo"));
}

#[test]
fn an_addition_in_another_language_does_not_apply() {
    let library = Library::parse("unwaited.toml", &LINKS.replacen("python", "rust", 1)).unwrap();
    let catalog = Catalog::new(Language::Python, &[library]).unwrap();
    assert_eq!(catalog.api("ours.links.post"), None);
}

#[test]
fn a_key_that_does_not_exist() {
    insta::assert_snapshot!(error("handle = true", "handel = true"), @"unwaited.toml: line 8: unknown field `handel`, expected one of `name`, `noun`, `handle`, `extends`, `counts-ranks`, `attributes`, `receivers`; did you mean `handle`?");
}

#[test]
fn a_word_that_does_not_exist() {
    insta::assert_snapshot!(error("\"finish\"", "\"finishes\""), @"unwaited.toml: line 20: unknown variant `finishes`, expected one of `start`, `finish`, `poll`, `alias`, `build`, `launch`, `prepare`, `restart`, `release`, `coalesce`, `expect-error`, `instance`, `backend`, `nothing`, `fence`, `pause`, `exit`, `collect`, `zip`, `enumerate`, `map`, `filter`, `count`, `consume`, `read`, `pass`, `bind`, `inline`, `guard`, `keep`, `acquire`; did you mean `finish`?");
}

#[test]
fn a_class_that_does_not_exist() {
    insta::assert_snapshot!(error("gives = \"Ticket\"", "gives = \"Tiket\""), @"links: post.gives: `Tiket` is not known; did you mean `Ticket`?");
}

#[test]
fn an_argument_that_is_no_parameter() {
    insta::assert_snapshot!(error("argument = \"background\"", "argument = \"in_background\""), @"links: post.when.argument: `in_background` is not known; did you mean `background`?");
}

#[test]
fn a_method_of_a_class_that_does_not_exist() {
    insta::assert_snapshot!(error("Ticket.settle", "Tickets.settle"), @"links: Tickets.settle.name: `Tickets` is not known; did you mean `Ticket`?");
}

#[test]
fn a_receiver_of_a_function_that_has_none() {
    insta::assert_snapshot!(error("gives = \"Ticket\"", "gives = \"Ticket\"\non = \"self\""), @"links: post.on: `self` is not known");
}

#[test]
fn a_class_that_extends_itself() {
    insta::assert_snapshot!(error("handle = true", "handle = true\nextends = \"Ticket\""), @"links: Ticket.extends: the class would extend itself");
}

#[test]
fn a_language_that_is_not_known() {
    insta::assert_snapshot!(error("python", "pyhton"), @"links: language: `pyhton` is not known; did you mean `python`?");
}

#[test]
fn a_library_without_a_module() {
    insta::assert_snapshot!(error("[\"ours.links\"]", "[]"), @"links: modules: no module is named");
}

#[test]
fn drop_entries_of_a_library_that_does_not_exist() {
    let named = "modules = [\"ours.links\"]\ndrops-of = \"torch.distribted\"";
    insta::assert_snapshot!(error("modules = [\"ours.links\"]", named), @"links: drops-of: `torch.distribted` is not known; did you mean `torch.distributed`?");
}

#[test]
fn text_that_is_not_toml() {
    insta::assert_snapshot!(error("name = \"post\"", "name = post"), @"unwaited.toml: line 11: string values must be quoted, expected literal string");
}
