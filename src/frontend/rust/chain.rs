//! Chains of iterator adaptors become loops.
//!
//! A **stage** is an adaptor with a closure or function; what stands before the first stage is the **source**. A chain that something
//! consumes runs where it stands; one whose value goes elsewhere is taken to be consumed there, as a list.
//!
//! ```text
//! let reqs: Vec<_> = peers.iter().map(|p| p.immediate_send(scope, &x)).collect();
//!
//! b0: %0 = list [];  %1 = iterate peers
//! b1: next p of %1 then b2 else b3
//! b2: %2 = call p.immediate_send(…);  push %0 <- %2;  goto b1
//! ```
//!
//! A chain of lazy adaptors that is a statement runs nothing: `reqs.into_iter().map(|r| r.wait());`.

use syn::{Expr, ExprMethodCall};

use super::assignment::behind_references;
use super::condition::Targets;
use super::exits::FrameKind;
use super::{Lowering, nothing, unit_value};
use crate::ir::{ContainerKind, Flavour, FunctionKind, Item, Operand, Operation, Operator};
use crate::source::Span;

/// A chain of adaptors.
struct Chain<'e> {
    source: &'e Expr,
    stages: Vec<&'e ExprMethodCall>,
    end: End<'e>,
}

/// What becomes of the elements.
#[derive(Clone, Copy)]
enum End<'e> {
    /// They are kept in a list: `collect()`, or the chain's value goes elsewhere.
    Collected,
    /// A function is called with each: `for_each`, `try_for_each`.
    Each(&'e Expr),
    /// A condition on each: `all`, `any`.
    Condition(&'e str, &'e Expr),
    /// A function is called with a value and each: `fold`.
    Folded(&'e Expr, &'e Expr),
    /// They are dropped, and something else comes out: `count`, `sum`, `last`.
    Consumed,
}

impl Lowering<'_> {
    /// A chain of adaptors of which at least one has a function; `None` for any other call.
    pub(super) fn chain(&mut self, it: &ExprMethodCall, span: Span) -> Option<Operand> {
        let chain = chain_of(it)?;
        Some(self.run_chain(&chain, span))
    }

    /// A chain that nothing consumes, as a statement.
    pub(super) fn unconsumed_chain(&mut self, expression: &Expr) -> bool {
        let Expr::MethodCall(it) = expression else { return false };
        let Some(chain) = chain_of(it) else { return false };
        let is_lazy =
            it.args.first().is_some_and(Self::is_closure) || is_stage(&it.method.to_string(), it.args.len());
        if !is_lazy || !matches!(chain.end, End::Collected) || it.method == "collect" {
            return false;
        }
        let span = self.span_of(expression);
        let made = self.nested("<chain>", FunctionKind::Lambda, span, |lowering| {
            lowering.builder().function_mut().flavour = Flavour::Generator;
            let value = lowering.run_chain(&chain, span);
            let to = lowering.temporary(span);
            lowering.emit(Operation::Yield { to, value }, span);
        });
        if let Some(function) = made {
            self.emit(Operation::Unconsumed { function }, span);
        }
        true
    }

    fn run_chain(&mut self, chain: &Chain<'_>, span: Span) -> Operand {
        let container = self.collect(ContainerKind::List, Vec::new(), span);
        let mark = self.mark();
        let over = self.expression(chain.source);
        let Some(open) = self.open_turns(over, mark, span) else { return container };
        let frame = self.frame(FrameKind::Loop(open.head), None, open.head, None);
        let item = self.next_item(&open, None);
        let mark = self.mark();
        let item = item.map_or_else(unit_value, |item| {
            self.scope().temporaries.push((item, span));
            Operand::Local(item)
        });
        let value = self.stages(chain, item, &frame, span);
        if let Some(value) = value {
            self.end_of_turn(chain, value, &container, span);
        }
        self.forget_since(mark);
        self.close_turns(open);
        self.result_of(chain, container, span)
    }

    /// What the stages make of an element; `None` where no element is left.
    fn stages(
        &mut self,
        chain: &Chain<'_>,
        item: Operand,
        turn: &super::exits::Frame,
        span: Span,
    ) -> Option<Operand> {
        let mut value = item;
        for stage in &chain.stages {
            let at = self.span_of(stage.args.first().unwrap_or(&stage.receiver));
            let name = stage.method.to_string();
            match (name.as_str(), stage.args.first()) {
                ("map" | "flat_map" | "scan", Some(function)) => {
                    value = self.apply(function, vec![value], at)
                }
                ("filter" | "take_while" | "skip_while", Some(function)) => {
                    let on = self.apply(function, vec![value.clone()], at);
                    self.go_on_where(on, turn, at);
                }
                ("filter_map" | "map_while", Some(function)) => {
                    value = self.apply(function, vec![value], at);
                    let on = self.compute(Operator::IsNot, vec![value.clone(), nothing()], at);
                    self.go_on_where(on, turn, at);
                }
                ("inspect", Some(function)) => _ = self.apply(function, vec![value.clone()], at),
                ("flatten", None) => {
                    let on = self.compute(Operator::IsNot, vec![value.clone(), nothing()], at);
                    self.go_on_where(on, turn, at);
                }
                ("enumerate", None) => {
                    let number = self.unknown("number", Vec::new(), at);
                    value =
                        self.collect(ContainerKind::Tuple, vec![Item::One(number), Item::One(value)], span);
                }
                ("zip", Some(other)) => {
                    let other = self.expression(other);
                    self.emit(Operation::Escape { value: other.clone() }, at);
                    let part = self.unknown("element", vec![other], at);
                    value = self.collect(ContainerKind::Tuple, vec![Item::One(value), Item::One(part)], span);
                }
                (_, Some(argument)) => _ = self.expression(argument),
                (_, None) => {}
            }
        }
        Some(value)
    }

    /// Goes on with this element where a condition holds, else with the next one.
    fn go_on_where(&mut self, on: Operand, turn: &super::exits::Frame, at: Span) {
        let (yes, no) = (self.block(), self.block());
        self.branch(on, Targets { yes, no, repeats: false }, at);
        self.switch_to(no);
        self.next_turn(turn, at);
        self.switch_to(yes);
    }

    fn end_of_turn(&mut self, chain: &Chain<'_>, value: Operand, container: &Operand, span: Span) {
        match chain.end {
            End::Collected | End::Consumed => {
                self.emit(Operation::Push { container: container.clone(), value }, span);
            }
            End::Each(function) => _ = self.apply(function, vec![value], span),
            End::Condition(_, function) => {
                let value = self.apply(function, vec![value], span);
                self.emit(Operation::Push { container: container.clone(), value }, span);
            }
            End::Folded(first, function) => {
                let sum = self.expression(first);
                self.apply(function, vec![sum, value], span);
            }
        }
    }

    fn result_of(&mut self, chain: &Chain<'_>, container: Operand, span: Span) -> Operand {
        match chain.end {
            End::Collected => container,
            End::Each(_) => unit_value(),
            End::Condition(name, _) => self.call_path(&format!("std.{name}"), vec![(container, span)], span),
            End::Folded(..) | End::Consumed => self.unknown("consumed", Vec::new(), span),
        }
    }
}

/// The chain that ends with a call.
fn chain_of(it: &ExprMethodCall) -> Option<Chain<'_>> {
    let name = it.method.to_string();
    let mut stages = Vec::new();
    let end = match (name.as_str(), it.args.first()) {
        ("for_each" | "try_for_each", Some(function)) => End::Each(function),
        ("all", Some(function)) => End::Condition("all", function),
        ("any", Some(function)) => End::Condition("any", function),
        ("fold" | "try_fold", Some(first)) => End::Folded(first, it.args.get(1)?),
        ("collect", None) => End::Collected,
        ("count" | "sum" | "product" | "min" | "max" | "last" | "unzip", None) => End::Consumed,
        (name, _) if is_stage(name, it.args.len()) => {
            stages.push(it);
            End::Collected
        }
        _ => return None,
    };
    let mut source = it.receiver.as_ref();
    while let Expr::MethodCall(inner) = source
        && is_stage(&inner.method.to_string(), inner.args.len())
    {
        stages.push(inner);
        source = &inner.receiver;
    }
    stages.reverse();
    // Adaptors without a function in front are known better as what they are called on.
    let first = stages.iter().position(|it| has_function(it)).unwrap_or(stages.len());
    if let Some(last) = stages.get(..first).and_then(<[_]>::last) {
        source = position_of(it, last)?;
        stages.drain(..first);
    }
    let has_work = !stages.is_empty() || matches!(end, End::Each(_) | End::Condition(..) | End::Folded(..));
    (has_work && is_iterator(source)).then_some(Chain { source, stages, end })
}

/// A call within a chain, as the expression that it is.
fn position_of<'e>(whole: &'e ExprMethodCall, wanted: &ExprMethodCall) -> Option<&'e Expr> {
    let mut at = whole.receiver.as_ref();
    loop {
        match at {
            Expr::MethodCall(it) if std::ptr::eq(it, wanted) => return Some(at),
            Expr::MethodCall(it) => at = &it.receiver,
            _ => return None,
        }
    }
}

fn has_function(stage: &ExprMethodCall) -> bool {
    matches!(
        stage.method.to_string().as_str(),
        "map"
            | "filter"
            | "filter_map"
            | "flat_map"
            | "take_while"
            | "skip_while"
            | "map_while"
            | "inspect"
            | "scan"
    )
}

fn is_stage(name: &str, arguments: usize) -> bool {
    match name {
        "map" | "filter" | "filter_map" | "flat_map" | "take_while" | "skip_while" | "map_while"
        | "inspect" => arguments == 1,
        "enumerate" | "rev" | "cloned" | "copied" | "flatten" | "peekable" | "fuse" => arguments == 0,
        "zip" | "skip" | "take" | "step_by" | "chain" => arguments == 1,
        _ => false,
    }
}

/// Whether an expression is certainly an iterator, and no `Option`.
fn is_iterator(source: &Expr) -> bool {
    match behind_references(source) {
        Expr::Range(_) => true,
        Expr::MethodCall(it) => match it.method.to_string().as_str() {
            "iter" | "iter_mut" | "into_iter" | "drain" | "into_par_iter" | "par_iter" | "par_iter_mut" => {
                true
            }
            "chunks" | "chunks_mut" | "chunks_exact" | "chunks_exact_mut" | "windows" | "split" | "lines"
            | "chars" | "bytes" => true,
            "keys" | "values" | "values_mut" | "into_values" | "into_keys" | "split_whitespace"
            | "char_indices" => true,
            "enumerate" | "zip" | "rev" | "step_by" | "skip" | "copied" | "cloned" | "peekable" | "chain"
            | "fuse" | "by_ref" => {
                is_iterator(&it.receiver)
                    || matches!(it.method.to_string().as_str(), "enumerate" | "zip" | "step_by" | "chain")
            }
            "take" => it.args.len() == 1,
            _ => false,
        },
        _ => false,
    }
}
