//! The files of the catalogue hold together: all are listed, and what they say refers to things that exist.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use unwaited::catalog::{Catalog, Does, FILES, Function, Kind, Library};
use unwaited::source::Language;

fn catalog() -> Catalog {
    Catalog::new(Language::Python, &[]).unwrap()
}

fn libraries() -> Vec<(&'static str, Library)> {
    FILES.iter().map(|(file, text)| (*file, Library::parse(file, text).unwrap())).collect()
}

fn starts(function: &Function) -> bool {
    matches!(function.does, Does::Start | Does::Launch | Does::Prepare)
}

#[test]
fn a_file_is_listed_and_a_listed_file_exists() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/apis");
    let names =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let present: BTreeSet<String> = names.filter(|name| name.ends_with(".toml")).collect();
    let listed: BTreeSet<String> = FILES.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(present, listed);
}

#[test]
fn every_entry_says_where_its_facts_come_from() {
    for (file, library) in libraries() {
        for function in &library.functions {
            assert!(!function.source.is_empty(), "{file}: {} has no source", function.name);
        }
        for data in &library.data {
            assert!(!data.source.is_empty(), "{file}: {:?} has no source", data.names);
        }
        assert!(!library.version.is_empty(), "{file} does not say which version it was checked against");
    }
}

#[test]
fn no_path_is_there_twice() {
    let mut seen = BTreeSet::new();
    for (file, library) in libraries() {
        for function in &library.functions {
            let home = function.module.as_ref().unwrap_or(&library.modules[0]);
            let path = format!("{home}.{}", function.name);
            assert!(seen.insert(path.clone()), "{file}: {path} is there twice");
        }
    }
}

#[test]
fn an_entry_that_starts_something_gives_a_handle() {
    let catalog = catalog();
    for api in catalog.apis().filter(|api| starts(catalog.function(*api))) {
        let gives = catalog.gives(api).unwrap_or_else(|| panic!("{} gives nothing", catalog.path(api)));
        assert!(catalog.class_entry(gives).handle, "{} gives no handle", catalog.path(api));
    }
}

#[test]
fn an_entry_that_starts_something_knows_what_a_drop_does_on_every_backend() {
    let catalog = catalog();
    for api in catalog.apis().filter(|api| starts(catalog.function(*api))) {
        let backends: BTreeSet<&str> = catalog.drops(api).map(|drop| drop.backend.as_str()).collect();
        let enough =
            backends.contains("any") || backends.is_superset(&BTreeSet::from(["gloo", "nccl", "mpi"]));
        assert!(enough, "{}: a drop is described on {backends:?} only", catalog.path(api));
    }
}

#[test]
fn a_handle_can_be_finished_and_an_operation_can_be_launched() {
    let catalog = catalog();
    let finished = |does: Does| does == Does::Finish;
    for api in catalog.apis().filter(|api| starts(catalog.function(*api))) {
        let class = catalog.gives(api).unwrap();
        let by_method = catalog.apis().any(|it| {
            let name = catalog.short_name(it).rsplit('.').next().unwrap();
            finished(catalog.function(it).does) && catalog.method(class, name) == Some(it)
        });
        let by_function = catalog.apis().any(|it| {
            let same = catalog.library_name(it) == catalog.library_name(api);
            same && finished(catalog.function(it).does) && catalog.owner(it).is_none()
        });
        assert!(by_method || by_function, "nothing finishes what {} gives", catalog.path(api));
    }
    for (file, library) in libraries() {
        let builds = library.functions.iter().any(|function| function.does == Does::Build);
        let launches = library.functions.iter().any(|function| function.does == Does::Launch);
        assert_eq!(
            builds, launches,
            "{file} builds operations and cannot launch them, or the other way round"
        );
    }
}

#[test]
fn an_entry_that_works_on_something_says_on_what() {
    for (file, library) in libraries() {
        for function in &library.functions {
            let works_on = matches!(
                function.does,
                Does::Finish | Does::Poll | Does::Alias | Does::Launch | Does::Restart | Does::Release
            );
            assert!(!works_on || function.on.is_some(), "{file}: {} works on nothing", function.name);
        }
    }
}

#[test]
fn a_method_of_the_class_does_not_work_on_its_receiver() {
    for (file, library) in libraries() {
        for function in library.functions.iter().filter(|function| function.of_class) {
            assert_ne!(function.on.as_deref(), Some("self"), "{file}: {}", function.name);
        }
    }
}

#[test]
fn a_blocking_twin_exists() {
    let catalog = catalog();
    for api in catalog.apis() {
        let Some(twin) = &catalog.function(api).blocking else { continue };
        let home = catalog.path(api).strip_suffix(catalog.short_name(api)).unwrap();
        assert!(catalog.api(&format!("{home}{twin}")).is_some(), "{}: no {twin}", catalog.path(api));
    }
}

#[test]
fn a_harm_is_one_clause_in_lower_case() {
    for (file, library) in libraries() {
        let of_drops = library.drops.iter().map(|drop| &drop.harm);
        let of_second_waits =
            library.functions.iter().flat_map(|function| &function.again).map(|again| &again.harm);
        for harm in of_drops.chain(of_second_waits) {
            let first = harm.split(' ').next().unwrap_or_default();
            let fits = !harm.ends_with('.')
                && [first.to_lowercase(), first.to_uppercase()].contains(&first.to_owned());
            assert!(fits, "{file}: {harm}");
        }
        for drop in &library.drops {
            assert!(
                ["any", "gloo", "nccl", "mpi"].contains(&drop.backend.as_str()),
                "{file}: {}",
                drop.backend
            );
        }
    }
}

#[test]
fn a_remote_call_that_is_dropped_goes_on() {
    let catalog = catalog();
    let remote = catalog.apis().filter(|api| starts(catalog.function(*api)));
    for api in remote.filter(|api| catalog.function(*api).kind == Kind::Rpc) {
        let effects: Vec<_> = catalog.drops(api).map(|drop| drop.effect).collect();
        assert_eq!(effects, [unwaited::catalog::DropEffect::Continues]);
    }
}

#[test]
fn the_example_of_the_schema_s_page_is_a_library() {
    let page = include_str!("../rules/apis/README.md");
    let example = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let library = Library::parse("README.md", example).unwrap();
    assert!(Catalog::new(Language::Python, &[library]).is_ok());
}

#[test]
fn every_key_and_word_that_the_files_use_is_explained() {
    let page = include_str!("../rules/apis/README.md");
    for (file, text) in FILES {
        let keys = text.lines().filter_map(|line| line.split_once(" = ")).map(|(key, _)| key.trim());
        for key in keys.filter(|key| !key.starts_with(['{', '"', '#'])) {
            assert!(page.contains(&format!("`{key}`")), "{file}: `{key}` is not explained");
        }
        for does in text.lines().filter_map(|line| line.strip_prefix("does = \"")) {
            let word = does.trim_end_matches('"');
            assert!(page.contains(&format!("`{word}`")), "{file}: `{word}` is not explained");
        }
    }
}

#[test]
fn buffers_are_those_of_libraries_that_exist() {
    let names: BTreeSet<String> = libraries().into_iter().map(|(_, library)| library.library).collect();
    for (file, library) in libraries() {
        for of in &library.buffers_of {
            assert!(names.contains(of), "{file}: buffers-of names {of}");
        }
    }
}
