//! Calls. What is called is only known by name here; the analysis binds it.

use ruff_python_ast::{ArgOrKeyword, Expr, ExprCall};

use super::{Lowering, span_of};
use crate::ir::{Argument, Callee, Meaning, Operand, Operation, Passing};

impl<'a> Lowering<'a> {
    /// `f(…)`, `receiver.method(…)`.
    pub(super) fn call(&mut self, call: &'a ExprCall) -> Operand {
        let span = span_of(call);
        let callee = match call.func.as_ref() {
            Expr::Attribute(attribute) => {
                let receiver = self.expression(&attribute.value);
                let name = attribute.attr.as_str();
                let meaning = meaning(name, call.arguments.args.len() + call.arguments.keywords.len());
                Callee::Method { receiver, name: name.to_owned(), meaning }
            }
            other => Callee::Value(self.expression(other)),
        };
        let arguments = call.arguments.iter_source_order().map(|it| self.argument(it)).collect();
        let to = self.temporary(span);
        self.emit(Operation::Call { to, callee, arguments }, span);
        Operand::Local(to)
    }

    fn argument(&mut self, argument: ArgOrKeyword<'a>) -> Argument {
        let (passing, value, span) = match argument {
            ArgOrKeyword::Arg(Expr::Starred(starred)) => {
                (Passing::Spread, starred.value.as_ref(), span_of(starred))
            }
            ArgOrKeyword::Arg(value) => (Passing::Positional, value, span_of(value)),
            ArgOrKeyword::Keyword(keyword) => {
                let passing = match &keyword.arg {
                    Some(name) => Passing::Named(name.as_str().to_owned()),
                    None => Passing::SpreadNamed,
                };
                (passing, &keyword.value, span_of(&keyword.value))
            }
        };
        Argument { passing, value: self.expression(value), span }
    }
}

/// What a method of this name does if its receiver is a container of the language.
fn meaning(name: &str, arguments: usize) -> Option<Meaning> {
    Some(match name {
        "append" | "add" | "appendleft" | "put" | "put_nowait" | "push" | "insert" => Meaning::Push,
        "extend" | "extendleft" | "update" => Meaning::Extend,
        "pop" | "get" if arguments == 0 => Meaning::Take,
        "popleft" | "popitem" | "get_nowait" => Meaning::Take,
        "pop" => Meaning::TakeKey,
        "get" => Meaning::Get,
        "setdefault" => Meaning::SetDefault,
        "remove" | "discard" => Meaning::Remove,
        "clear" => Meaning::Clear,
        "values" | "copy" => Meaning::Elements,
        "items" => Meaning::Pairs,
        "keys" | "index" | "count" | "qsize" | "empty" => Meaning::Measure,
        "sort" | "reverse" | "rotate" | "move_to_end" => Meaning::Reorder,
        _ => return None,
    })
}
