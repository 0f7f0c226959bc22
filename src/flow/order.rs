//! The order in which functions are analysed: callees before their callers.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Callee, FunctionId, Global, Operation, Unit};

/// All functions but the top level, each after those that it may call, but for recursion.
pub(crate) fn callees_first(unit: &Unit) -> Vec<FunctionId> {
    let edges = mentions(unit);
    let mut order = Vec::with_capacity(unit.functions.len());
    let mut seen = vec![false; unit.functions.len()];
    for start in unit.function_ids().skip(1) {
        if std::mem::replace(&mut seen[start.0 as usize], true) {
            continue;
        }
        let mut stack = vec![(start, 0)];
        while let Some((function, at)) = stack.last_mut() {
            let next = edges[function.0 as usize].get(*at).copied();
            *at += 1;
            match next {
                Some(callee) if !seen[callee.0 as usize] => {
                    seen[callee.0 as usize] = true;
                    stack.push((callee, 0));
                }
                Some(_) => {}
                None => {
                    order.push(*function);
                    stack.pop();
                }
            }
        }
    }
    // A function of another file has no code; what it does is known.
    order.retain(|function| function.0 != 0 && !unit.function(*function).blocks.is_empty());
    order
}

/// For each function the functions that it mentions: by name, as a method of that name, or by defining them.
pub(crate) fn mentions(unit: &Unit) -> Vec<Vec<FunctionId>> {
    let mut methods: BTreeMap<&str, Vec<FunctionId>> = BTreeMap::new();
    for class in &unit.classes {
        for (name, &function) in &class.methods {
            methods.entry(name).or_default().push(function);
        }
    }
    let mentioned = |operation: &Operation| -> Vec<FunctionId> {
        match operation {
            Operation::Global { name, .. } => match unit.globals.get(name) {
                Some(Global::Function(function)) => vec![*function],
                Some(Global::Class(class)) => {
                    unit.class(*class).methods.get("__init__").copied().into_iter().collect()
                }
                _ => Vec::new(),
            },
            Operation::Closure { function, .. } => vec![*function],
            Operation::Field { name, .. } | Operation::Call { callee: Callee::Method { name, .. }, .. } => {
                methods.get(name.as_str()).cloned().unwrap_or_default()
            }
            Operation::Enter { .. } => ["__enter__", "__exit__"]
                .iter()
                .flat_map(|name| methods.get(name).cloned().unwrap_or_default())
                .collect(),
            _ => Vec::new(),
        }
    };
    let of_function = |function: &crate::ir::Function| {
        let ops = function.blocks.iter().flat_map(|block| &block.ops);
        let all: BTreeSet<FunctionId> = ops.flat_map(|op| mentioned(&op.operation)).collect();
        all.into_iter().collect()
    };
    unit.functions.iter().map(of_function).collect()
}
