//! Calls of functions. What is called is only known by name here; the analysis binds it.
//!
//! - A **wrapper** gives its argument: `Some(r)`, `Ok(r)`, `Box::new(r)`.
//! - What the standard library does with a place is said with assignments: `mem::replace(&mut self.open, r)` takes what is in the field and
//!   stores another. `drop(r)` and `mem::forget(r)` give up what the variable holds.
//! - A function of a C library gives its handle through a pointer: the catalogue names the argument, and the place behind it is assigned.
//!
//!   ```text
//!   MPI_Isend(p, 8, MPI_DOUBLE, 1, 0, world, &mut request)      %1 = call MPI_Isend(…), request = %1
//!   ```

use syn::{Expr, ExprCall};

use super::assignment::{behind_references, is_place};
use super::names::{Meaning, segments};
use super::scope::Bound;
use super::{Lowering, nothing, unit_value};
use crate::catalog::{ApiId, Does};
use crate::ir::{Access, Argument, Callee, Constant, ContainerKind, Forgetting, Operand, Operation, Passing};
use crate::source::Span;

/// How a variable gives up what it holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// `drop(x)`.
    Dropped,
    /// `mem::forget(x)`.
    Forgotten,
}

impl Lowering<'_> {
    /// `f(…)`.
    pub(super) fn call(&mut self, it: &ExprCall, span: Span) -> Operand {
        let arguments: Vec<&Expr> = it.args.iter().collect();
        let Expr::Path(path) = behind_references(&it.func) else {
            let callee = self.expression(&it.func);
            return self.call_value(callee, &arguments, span);
        };
        let names = segments(&path.path);
        let is_variable = names.len() == 1 && self.local_of(&names[0]).is_some();
        if !is_variable {
            if let Some(value) = self.call_of_language(&names, &arguments, span) {
                return value;
            }
            if let Some(api) = self.api_of(&names)
                && let Some(value) = self.call_of_library(api, &arguments, span)
            {
                return value;
            }
        }
        let callee = self.path(&path.path, span);
        self.call_value(callee, &arguments, span)
    }

    /// The catalogued function that a path means.
    pub(super) fn api_of(&mut self, names: &[String]) -> Option<ApiId> {
        let mut names = names.to_vec();
        if let Some(Bound::Path(path)) = names.first().cloned().and_then(|first| self.bound(&first)) {
            names.splice(..1, path.split('.').map(str::to_owned));
        }
        match self.meaning_of(&names)? {
            Meaning::Path(path) => self.catalog.api(&path),
            Meaning::Own(_) | Meaning::Associated(..) => None,
        }
    }

    /// Evaluates arguments, and calls a value with them.
    pub(super) fn call_value(&mut self, callee: Operand, arguments: &[&Expr], span: Span) -> Operand {
        let arguments = self.arguments(arguments);
        let to = self.temporary(span);
        self.emit(Operation::Call { to, callee: Callee::Value(callee), arguments }, span);
        Operand::Local(to)
    }

    pub(super) fn arguments(&mut self, arguments: &[&Expr]) -> Vec<Argument> {
        let argument = |lowering: &mut Self, it: &Expr| {
            let value = lowering.expression(it);
            Argument { passing: Passing::Positional, value, span: lowering.span_of(it) }
        };
        arguments.iter().map(|it| argument(self, it)).collect()
    }

    /// Calls a function from elsewhere with values.
    pub(super) fn call_path(&mut self, path: &str, values: Vec<(Operand, Span)>, span: Span) -> Operand {
        let callee = self.imported(path.to_owned(), span);
        let argument = |(value, span)| Argument { passing: Passing::Positional, value, span };
        let arguments = values.into_iter().map(argument).collect();
        let to = self.temporary(span);
        self.emit(Operation::Call { to, callee: Callee::Value(callee), arguments }, span);
        Operand::Local(to)
    }

    /// Functions of the standard library that say what happens to values.
    fn call_of_language(&mut self, names: &[String], arguments: &[&Expr], span: Span) -> Option<Operand> {
        let last = names.last()?.as_str();
        let owner =
            names.len().checked_sub(2).and_then(|at| names.get(at)).map(String::as_str).unwrap_or_default();
        match (owner, last, arguments) {
            ("" | "Option" | "Result", "Some" | "Ok", [inner]) => {
                let value = self.expression(inner);
                Some(if value == nothing() {
                    Operand::Constant(Constant::Other("Some(None)".to_owned()))
                } else {
                    value
                })
            }
            ("" | "Result", "Err", [inner]) => {
                let value = self.expression(inner);
                if self.is_named(&value) {
                    self.emit(Operation::Escape { value }, span);
                }
                Some(nothing())
            }
            (_, "new", []) | (_, "with_capacity", [_]) | (_, "default", []) => {
                let kind = container(owner)?;
                arguments.iter().for_each(|it| _ = self.expression(it));
                let made = self.collect(kind, Vec::new(), span);
                if let (ContainerKind::Dict, Operand::Local(local)) = (kind, &made) {
                    self.scope().maps.insert(*local);
                }
                Some(made)
            }
            (owner, "new" | "pin" | "from", [inner]) if wraps(owner) => Some(self.expression(inner)),
            ("" | "panic", "AssertUnwindSafe", [inner]) | ("" | "cmp", "Reverse", [inner]) => {
                Some(self.expression(inner))
            }
            ("" | "mem", "drop" | "forget", [inner])
                if last == "drop" || owner == "mem" || self.is_std(names) =>
            {
                let end = if last == "drop" { End::Dropped } else { End::Forgotten };
                Some(self.give_up(inner, end, span))
            }
            ("mem", "take", [place]) | ("Option", "take", [place]) => {
                Some(self.take_from_place(behind_references(place), nothing(), span))
            }
            ("mem" | "Option", "replace", [place, value]) => {
                let value = self.expression(value);
                Some(self.take_from_place(behind_references(place), value, span))
            }
            ("mem", "swap", [one, other]) => {
                self.swap(behind_references(one), behind_references(other), span)
            }
            ("ptr", "addr_of" | "addr_of_mut" | "from_ref" | "from_mut", [inner]) => {
                Some(self.expression(inner))
            }
            _ => None,
        }
    }

    fn is_std(&mut self, names: &[String]) -> bool {
        matches!(self.meaning_of(names), Some(Meaning::Path(path)) if path.starts_with("std."))
            || matches!(names, [name] if matches!(self.bound(name), Some(Bound::Path(path)) if path.starts_with("std.")))
    }

    /// `drop(r)`, `mem::forget(r)`: a variable gives up what it holds; any other value goes with its statement.
    fn give_up(&mut self, value: &Expr, end: End, span: Span) -> Operand {
        let held = self.expression(value);
        if end == End::Dropped {
            // A drop frees what the value owns; nothing borrows what a C function was given.
            self.emit(Operation::Touch { buffer: held.clone(), access: Access::Free }, span);
        }
        if let (Operand::Local(local), true) = (&held, self.is_named(&held)) {
            self.emit(Operation::Forget { local: *local, why: Forgetting::Delete }, span);
        }
        unit_value()
    }

    fn swap(&mut self, one: &Expr, other: &Expr, span: Span) -> Option<Operand> {
        if !is_place(one) || !is_place(other) {
            return None;
        }
        let held = self.expression(other);
        let kept = self.temporary(span);
        self.emit(Operation::Assign { to: kept, from: held }, span);
        let first = self.expression(one);
        self.assign_to(other, first, span);
        self.assign_to(one, Operand::Local(kept), span);
        Some(unit_value())
    }

    /// Functions whose arguments are not values only: one runs inline, or the result comes out through it.
    fn call_of_library(&mut self, api: ApiId, arguments: &[&Expr], span: Span) -> Option<Operand> {
        let entry = self.catalog.function(api);
        let position = |name: &Option<String>| name.as_deref().and_then(|name| entry.position(name));
        if entry.does == Does::Inline {
            let body = arguments.get(position(&entry.on)?)?;
            return self.run_inline(api, body, arguments, span);
        }
        let out = position(&entry.out)?;
        let path = self.catalog.path(api).to_owned();
        let callee = self.imported(path, span);
        let place = behind_references(arguments.get(out)?);
        let result = self.call_value(callee, arguments, span);
        self.assign_out(place, result, span);
        Some(self.unknown("return code", Vec::new(), span))
    }

    /// Stores what came out through a pointer.
    fn assign_out(&mut self, pointer: &Expr, value: Operand, span: Span) {
        match pointer {
            Expr::MethodCall(call) if call.method == "as_mut_ptr" && call.args.is_empty() => {
                self.assign_out(behind_references(&call.receiver), value, span);
            }
            // `requests.as_mut_ptr().add(i)`
            Expr::MethodCall(call)
                if matches!(call.method.to_string().as_str(), "add" | "offset" | "wrapping_add")
                    && call.args.len() == 1 =>
            {
                self.store_element(call, value, span);
            }
            Expr::Path(path) if self.is_own_place(&path.path) => self.assign_to(pointer, value, span),
            Expr::Index(_) | Expr::Field(_) => self.assign_to(pointer, value, span),
            _ => self.emit(Operation::Escape { value }, span),
        }
    }

    fn store_element(&mut self, call: &syn::ExprMethodCall, value: Operand, span: Span) {
        let base = match behind_references(&call.receiver) {
            Expr::MethodCall(inner) if inner.method == "as_mut_ptr" => &inner.receiver,
            _ => return self.emit(Operation::Escape { value }, span),
        };
        let of = self.expression(base);
        let Some(index) = call.args.first() else { return };
        let key = self.key(index);
        self.emit(Operation::SetElement { of, key, value }, span);
    }

    /// Whether a name is a variable of this function that is not a parameter: a parameter is a pointer to somebody else's place.
    fn is_own_place(&mut self, path: &syn::Path) -> bool {
        let Some(name) = path.get_ident().map(super::names::plain) else { return false };
        let Some(local) = self.local_of(&name) else { return false };
        let function = self.builder().function();
        let foreign = function.parameters.iter().any(|it| it.local == local)
            || function.captures.iter().any(|(here, _)| *here == local);
        !foreign
    }
}

/// The container that a type of the standard library is.
fn container(owner: &str) -> Option<ContainerKind> {
    Some(match owner {
        "Vec" | "VecDeque" | "LinkedList" | "BinaryHeap" | "SmallVec" | "ArrayVec" => ContainerKind::List,
        "HashMap" | "BTreeMap" | "IndexMap" | "FxHashMap" => ContainerKind::Dict,
        "HashSet" | "BTreeSet" => ContainerKind::Set,
        _ => return None,
    })
}

/// Types that hold one value and are passed through.
fn wraps(owner: &str) -> bool {
    matches!(
        owner,
        "Box"
            | "Rc"
            | "Arc"
            | "Cell"
            | "RefCell"
            | "UnsafeCell"
            | "Mutex"
            | "RwLock"
            | "Pin"
            | "ManuallyDrop"
            | "MaybeUninit"
            | "Vec"
            | "VecDeque"
            | "Some"
    )
}
