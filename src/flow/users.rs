//! The functions of a file that can have to do with handles, where none is started in the file itself.
//!
//! Such a file is looked at because it uses what other files export. A function that names none of these exports, calls no
//! function that does, and is not called by name, has nothing to follow: it is left out, and its callers know nothing of it.

use std::collections::BTreeSet;

use super::links::Links;
use super::order::mentions;
use crate::ir::{Callee, FunctionId, Global, Operation, Unit};

/// The functions that use exports that matter, and those that lead to them.
pub(super) fn users(unit: &Unit, links: &Links) -> BTreeSet<FunctionId> {
    let names = links.names_that_matter();
    let uses = |id: &FunctionId| {
        let mut ops = unit.function(*id).blocks.iter().flat_map(|block| &block.ops);
        ops.any(|op| names_used(&op.operation, unit).is_some_and(|name| names.contains(name)))
    };
    let leads_to = mentions(unit);
    let mut led_from: Vec<Vec<FunctionId>> = vec![Vec::new(); unit.functions.len()];
    for id in unit.function_ids() {
        // What is defined inside of a function may finish what it starts.
        let outer = unit.function(id).parent.filter(|parent| parent.0 != 0);
        for called in leads_to[id.0 as usize].iter().copied().chain(outer) {
            led_from[called.0 as usize].push(id);
        }
    }
    let mut waiting: Vec<FunctionId> = unit.function_ids().filter(uses).collect();
    let mut users = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if users.insert(id) {
            waiting.extend(&led_from[id.0 as usize]);
        }
    }
    users
}

/// The last name that an operation reads.
fn names_used<'u>(operation: &'u Operation, unit: &'u Unit) -> Option<&'u str> {
    match operation {
        Operation::Global { name, .. } => Some(match unit.globals.get(name) {
            Some(Global::Import(path)) => path.rsplit('.').next().unwrap_or(path),
            _ => name,
        }),
        Operation::Import { path, .. } => path.rsplit('.').next(),
        Operation::Field { name, .. } | Operation::Call { callee: Callee::Method { name, .. }, .. } => {
            Some(name)
        }
        _ => None,
    }
}
