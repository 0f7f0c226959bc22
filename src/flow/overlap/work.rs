//! Which operations of a function are known to take time.
//!
//! ```text
//! t0 = global torch
//! t1 = call t0.matmul(a, b)       the function at `torch.matmul`
//! t2 = call a.bmm(b)              a method of that name
//! t3 = @ (a, b)                   a product
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::Catalog;
use crate::ir::{Callee, Function, Global, Local, Operand, Operation, Operator, Unit};

/// The numbers of the operations that are work.
pub(super) fn find(unit: &Unit, function: &Function, catalog: &Catalog) -> BTreeSet<u32> {
    let paths = paths(unit, function);
    let is_work = |operation: &Operation| match operation {
        Operation::Compute { operator, .. } => *operator == Operator::Other("@"),
        Operation::Call { callee, .. } => calls_work(callee, &paths, catalog),
        _ => false,
    };
    let all = super::numbered(function);
    all.filter(|(_, op)| is_work(&op.operation)).map(|(number, _)| number).collect()
}

fn calls_work(callee: &Callee, paths: &BTreeMap<Local, String>, catalog: &Catalog) -> bool {
    let path_of = |operand: &Operand| operand.local().and_then(|local| paths.get(&local));
    match callee {
        Callee::Value(value) => path_of(value).is_some_and(|path| catalog.is_work(path)),
        Callee::Method { receiver, name, .. } => match path_of(receiver) {
            Some(path) => catalog.is_work(&format!("{path}.{name}")),
            None => catalog.is_work_method(name),
        },
    }
}

/// The dotted paths that locals stand for.
fn paths(unit: &Unit, function: &Function) -> BTreeMap<Local, String> {
    let mut paths: BTreeMap<Local, String> = BTreeMap::new();
    for (_, op) in super::numbered(function) {
        let named = match &op.operation {
            Operation::Global { to, name } => match unit.globals.get(name) {
                Some(Global::Import(path)) => Some((*to, path.clone())),
                _ => None,
            },
            Operation::Import { to, path } => Some((*to, path.clone())),
            Operation::Field { to, of: Operand::Local(of), name } => {
                paths.get(of).map(|path| (*to, format!("{path}.{name}")))
            }
            _ => None,
        };
        paths.extend(named);
    }
    paths
}
