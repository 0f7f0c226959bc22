//! Looking things up: by path, by class, by a guess from a receiver's name.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use unwaited::catalog::{ApiId, Catalog, Does, DropEffect, Returns, WhichOf};
use unwaited::source::Language;

fn catalog() -> Catalog {
    Catalog::new(Language::Python, &[]).unwrap()
}

fn path_of(catalog: &Catalog, path: &str) -> Option<String> {
    catalog.api(path).map(|api| catalog.path(api).to_owned())
}

fn guessed(method: &str, receiver: &str, imports: &[&str]) -> Option<String> {
    let catalog = catalog();
    let imports: BTreeSet<String> = imports.iter().map(|import| (*import).to_owned()).collect();
    catalog.guess(method, receiver, &imports).map(|api| catalog.path(api).to_owned())
}

#[test]
fn a_function_under_the_module_that_re_exports_it() {
    let catalog = catalog();
    let path = Some("torch.distributed.isend".to_owned());
    assert_eq!(path_of(&catalog, "torch.distributed.isend"), path);
    assert_eq!(path_of(&catalog, "torch.distributed.distributed_c10d.isend"), path);
    assert_eq!(path_of(&catalog, "torch.isend"), None);
    assert_eq!(path_of(&catalog, "isend"), None);
}

#[test]
fn a_method_in_class_form_on_a_class_that_inherits_it() {
    let catalog = catalog();
    let path = Some("mpi4py.MPI.Request.Waitall".to_owned());
    assert_eq!(path_of(&catalog, "mpi4py.MPI.Request.Waitall"), path);
    assert_eq!(path_of(&catalog, "mpi4py.MPI.Prequest.Waitall"), path);
    assert_eq!(path_of(&catalog, "mpi4py.MPI.Cartcomm.Isend"), Some("mpi4py.MPI.Comm.Isend".to_owned()));
    assert_eq!(path_of(&catalog, "mpi4py.MPI.Request.Isend"), None);
}

#[test]
fn a_value_has_the_methods_of_its_class() {
    let catalog = catalog();
    let class = catalog.value("mpi4py.MPI.COMM_WORLD").unwrap();
    assert_eq!(catalog.class_path(class), "mpi4py.MPI.Intracomm");
    let isend = catalog.method(class, "Isend").unwrap();
    assert_eq!(catalog.short_name(isend), "Comm.Isend");
    assert_eq!(catalog.owner(isend), catalog.class("mpi4py.MPI.Comm"));
    assert_eq!(catalog.gives(isend), catalog.class("mpi4py.MPI.Request"));
}

#[test]
fn a_module_that_a_project_re_exports_under_its_own_path() {
    let catalog = catalog();
    assert_eq!(catalog.value("ours.parallel.MPI.COMM_WORLD"), catalog.value("mpi4py.MPI.COMM_WORLD"));
    assert_eq!(catalog.api("ours.MPI.Request.Waitall"), catalog.api("mpi4py.MPI.Request.Waitall"));
    assert_eq!(catalog.class("ours.MPI.Comm"), catalog.class("mpi4py.MPI.Comm"));
    assert_eq!(catalog.class("ours.MPI.Nothing"), None);
    assert_eq!(catalog.class("ours.OpenMPI.Comm"), None);
}

#[test]
fn a_communicator_made_from_another_one() {
    let catalog = catalog();
    let split = catalog.api("mpi4py.MPI.Intracomm.Split").unwrap();
    assert_eq!(catalog.function(split).does, Does::Instance);
    assert_eq!(catalog.gives(split), catalog.class("mpi4py.MPI.Intracomm"));
}

#[test]
fn an_operation_object_has_a_constructor_and_a_class() {
    let catalog = catalog();
    let build = catalog.api("torch.distributed.P2POp").unwrap();
    assert_eq!(catalog.function(build).does, Does::Build);
    assert_eq!(catalog.gives(build), catalog.class("torch.distributed.P2POp"));
}

#[test]
fn a_missing_attribute_is_known_only_where_the_list_is_complete() {
    let catalog = catalog();
    let attribute = |class: &str, name: &str| catalog.has_attribute(catalog.class(class).unwrap(), name);
    assert_eq!(attribute("torch.distributed.Work", "wait"), Some(true));
    assert_eq!(attribute("torch.distributed.Work", "test"), Some(false));
    assert_eq!(attribute("mpi4py.MPI.Prequest", "Wait"), Some(true));
    assert_eq!(attribute("mpi4py.MPI.Prequest", "is_completed"), Some(false));
    assert_eq!(attribute("mpi4py.MPI.Comm", "Isend"), Some(true));
    assert_eq!(attribute("mpi4py.MPI.Comm", "anything"), None);
}

#[test]
fn a_distinctive_name_on_any_receiver() {
    assert_eq!(guessed("Isend", "link", &[]).as_deref(), Some("mpi4py.MPI.Comm.Isend"));
    assert_eq!(guessed("Waitall", "Request", &[]).as_deref(), Some("mpi4py.MPI.Request.Waitall"));
}

#[test]
fn a_common_name_needs_the_receiver_and_the_import() {
    let isend = Some("mpi4py.MPI.Comm.isend");
    assert_eq!(guessed("isend", "comm", &["mpi4py.MPI"]).as_deref(), isend);
    assert_eq!(guessed("isend", "COMM", &["numpy", "heat.core.communication.MPI"]).as_deref(), isend);
    assert_eq!(guessed("isend", "comm", &["torch.distributed"]), None);
    assert_eq!(guessed("isend", "socket", &["mpi4py.MPI"]), None);
    assert_eq!(guessed("wait", "req", &["mpi4py.MPI"]), None);
}

#[test]
fn a_test_case_that_fails_or_expects_an_error() {
    assert_eq!(guessed("fail", "self", &["unittest"]).as_deref(), Some("unittest.TestCase.fail"));
    assert_eq!(guessed("fail", "self", &["torch"]), None);
}

#[test]
fn what_a_wait_finishes_and_returns() {
    let catalog = catalog();
    let function = |path: &str| catalog.function(catalog.api(path).unwrap());
    let waitany = function("mpi4py.MPI.Request.waitany");
    assert_eq!((waitany.which, waitany.returns), (WhichOf::Any, Returns::IndexAndMessage));
    assert_eq!(waitany.on.as_deref(), Some("requests"));
    let wait = function("torch.distributed.Work.wait");
    assert_eq!((wait.does, wait.on.as_deref()), (Does::Finish, Some("self")));
    assert_eq!(wait.timeout.as_ref().unwrap().rejects, ["int", "bool", "str", "None"]);
}

#[test]
fn a_drop_by_the_kind_of_the_operation() {
    let catalog = catalog();
    let effects = |path: &str| -> Vec<(String, DropEffect)> {
        let drops = catalog.drops(catalog.api(path).unwrap());
        drops.map(|drop| (drop.backend.clone(), drop.effect)).collect()
    };
    let message = effects("torch.distributed.isend");
    assert!(message.contains(&("gloo".to_owned(), DropEffect::Cancels)));
    assert!(message.contains(&("nccl".to_owned(), DropEffect::Continues)));
    assert_eq!(effects("deepspeed.comm.isend"), message);
    assert_eq!(effects("deepspeed.comm.all_reduce_coalesced"), effects("torch.distributed.all_reduce"));
    assert_eq!(effects("mpi4py.MPI.Comm.Isend"), [("any".to_owned(), DropEffect::Leaks)]);
}

#[test]
fn arguments_reach_parameters_by_position_and_by_name() {
    let catalog = catalog();
    let function = |path: &str| catalog.function(catalog.api(path).unwrap());
    let reduce = function("torch.distributed.all_reduce");
    assert_eq!(reduce.parameter_at(3), Some("async_op"));
    assert_eq!(reduce.position("async_op"), Some(3));
    assert_eq!(reduce.parameter_at(4), None);
    let zip = function("builtins.zip");
    assert_eq!(zip.parameter_at(7), Some("iterables"));
    assert_eq!(zip.position("strict"), None);
    assert_eq!(zip.parameter_index("strict"), Some(1));
    let sorted = function("builtins.sorted");
    assert_eq!(sorted.parameter_at(1), None);
    assert_eq!(sorted.parameter_names().collect::<Vec<_>>(), ["iterable", "key", "reverse"]);
}

#[test]
fn a_catalogue_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&catalog());
}

#[test]
fn ids_name_what_they_were_given_for() {
    let catalog = catalog();
    let ids: Vec<ApiId> = catalog.apis().collect();
    assert!(ids.iter().all(|api| catalog.api(catalog.path(*api)) == Some(*api)));
}
