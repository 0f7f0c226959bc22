//! Translates summaries from the terms of one file to those of another.
//!
//! A summary is written in symbols, functions and classes, which are numbers that mean something in one file only. A
//! **translator** says what each of them is elsewhere; what has no name there makes the value unknown.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::program::{Attribute, Type};
use super::state::{Effect, Touched};
use super::summary::{Outcome, Summary};
use super::symbol::Symbol;
use super::value::{Bound, Container, Handle, InFlight, Manager, Object, Slot, Test, Value};
use crate::ir::{ClassId, FunctionId};

/// Says what the names of one file are in another.
pub(super) trait Translator {
    /// [`Symbol::UNKNOWN`] where there is none.
    fn symbol(&mut self, symbol: Symbol) -> Symbol;
    fn function(&mut self, function: FunctionId) -> Option<FunctionId>;
    fn class(&mut self, class: ClassId) -> Option<ClassId>;
}

/// A summary elsewhere; `None` where it speaks of functions that cannot be named there.
pub(super) fn summary(summary: &Summary, to: &mut dyn Translator) -> Option<Summary> {
    let outcomes = summary.outcomes.iter().map(|one| outcome(one, to)).collect::<Option<_>>()?;
    let looks_into = summary.looks_into.iter().map(|&symbol| to.symbol(symbol)).filter(is_known).collect();
    let Summary { is_cut_short, communicates, computes, .. } = *summary;
    Some(Summary { outcomes, looks_into, is_cut_short, communicates, computes })
}

/// What is known of an attribute, elsewhere.
pub(super) fn attribute(attribute: &Attribute, to: &mut dyn Translator) -> Attribute {
    Attribute {
        types: attribute.types.iter().map(|of| of.as_ref().and_then(|of| type_of(of, to))).collect(),
        lists: attribute.lists.iter().map(|(depth, one)| (*depth, handle(one, to))).collect(),
        held: attribute.held.iter().map(|one| handle(one, to)).collect(),
    }
}

fn is_known(symbol: &Symbol) -> bool {
    *symbol != Symbol::UNKNOWN
}

fn outcome(outcome: &Outcome, to: &mut dyn Translator) -> Option<Outcome> {
    let conditions = outcome.conditions.iter().map(|&(condition, truth)| (to.symbol(condition), truth));
    let conditions = conditions.filter(|(condition, _)| is_known(condition)).collect();
    let touches: Arc<[Touched]> = outcome
        .touches
        .iter()
        .map(|touch| Touched { region: to.symbol(touch.region), ..*touch })
        .filter(|touch| is_known(&touch.region))
        .collect();
    let stores =
        outcome.stores.iter().map(|(place, stored)| (to.symbol(*place), value(stored, to))).collect();
    let types = outcome.types.iter().filter_map(|(symbol, of)| Some((to.symbol(*symbol), type_of(of, to)?)));
    let types = types.collect();
    let mut heap = BTreeMap::new();
    for (&id, inner) in &outcome.heap {
        heap.insert(id, object(inner, to)?);
    }
    Some(Outcome {
        conditions,
        effects: outcome.effects.iter().map(|one| effect(one, to)).collect(),
        touches,
        stores,
        result: value(&outcome.result, to),
        types,
        heap,
    })
}

/// Effects on something unknown stay, so that those behind them keep their numbers.
fn effect(effect: &Effect, to: &mut dyn Translator) -> Effect {
    match effect {
        Effect::Finish(target, which) => Effect::Finish(to.symbol(*target), *which),
        Effect::Push(target, pushed) => Effect::Push(to.symbol(*target), value(pushed, to)),
        Effect::Launch(target) => Effect::Launch(to.symbol(*target)),
        Effect::Escape(target) => Effect::Escape(to.symbol(*target)),
    }
}

fn type_of(of: &Type, to: &mut dyn Translator) -> Option<Type> {
    match of {
        Type::Catalogued(class) => Some(Type::Catalogued(*class)),
        Type::Own(classes) => {
            let mut classes: Vec<ClassId> =
                classes.iter().map(|&class| to.class(class)).collect::<Option<_>>()?;
            classes.sort_unstable();
            Some(Type::Own(classes))
        }
    }
}

fn value(of: &Value, to: &mut dyn Translator) -> Value {
    match of {
        Value::Symbol(symbol) => Value::Symbol(to.symbol(*symbol)),
        Value::Function(symbol) => match to.symbol(*symbol) {
            Symbol::UNKNOWN => Value::UNKNOWN,
            known => Value::Function(known),
        },
        Value::Method(method) => Value::Method(Arc::new((value(&method.0, to), method.1.clone()))),
        Value::Test(inner) => Value::Test(Arc::new(test(inner, to))),
        Value::Object(_) | Value::Each(_) | Value::Perhaps(_) | Value::Part(..) | Value::Length(_) => {
            of.clone()
        }
    }
}

fn test(of: &Test, to: &mut dyn Translator) -> Test {
    match of {
        Test::Finished(one, which) => Test::Finished(value(one, to), *which),
        Test::IsNone(one) => Test::IsNone(value(one, to)),
        Test::Truth(one) => Test::Truth(value(one, to)),
        Test::Not(one) => Test::Not(value(one, to)),
        Test::And(all) => Test::And(all.iter().map(|one| value(one, to)).collect()),
        Test::Or(all) => Test::Or(all.iter().map(|one| value(one, to)).collect()),
    }
}

fn object(of: &Object, to: &mut dyn Translator) -> Option<Object> {
    Some(match of {
        Object::Handle(one) => Object::Handle(handle(one, to)),
        Object::Container(one) => Object::Container(container(one, to)),
        Object::Operation(operation) => {
            let mut operation = operation.clone();
            operation.buffers = buffers(&operation.buffers, to);
            Object::Operation(operation)
        }
        Object::Partial(partial) => {
            let mut partial = partial.clone();
            partial.callee = value(&partial.callee, to);
            partial.arguments = bounds(&partial.arguments, to);
            Object::Partial(partial)
        }
        Object::Lazy(function, over, built) => {
            let over = over.iter().map(|one| value(one, to)).collect();
            Object::Lazy(value(function, to), over, *built)
        }
        Object::Iterator(over, position) => Object::Iterator(value(over, to), *position),
        Object::Coroutine(function, arguments, built) => {
            Object::Coroutine(to.function(*function)?, bounds(arguments, to), *built)
        }
        Object::Manager(Manager::Owner(owner)) => {
            let mut owner = owner.clone();
            if let Some(lent) = &mut owner.lent {
                lent.symbol = to.symbol(lent.symbol);
            }
            Object::Manager(Manager::Owner(owner))
        }
        Object::Manager(Manager::Coalescing(_) | Manager::ExpectingError) => of.clone(),
    })
}

fn handle(of: &Handle, to: &mut dyn Translator) -> Handle {
    Handle { buffers: buffers(&of.buffers, to), ..of.clone() }
}

fn buffers(of: &[InFlight], to: &mut dyn Translator) -> Arc<[InFlight]> {
    let translated = of.iter().map(|buffer| InFlight { region: to.symbol(buffer.region), ..*buffer });
    translated.filter(|buffer| is_known(&buffer.region)).collect()
}

fn bounds(of: &[Bound], to: &mut dyn Translator) -> Vec<Bound> {
    of.iter().map(|bound| Bound { value: value(&bound.value, to), ..bound.clone() }).collect()
}

fn container(of: &Container, to: &mut dyn Translator) -> Container {
    let mut container = of.clone();
    let slot = |slot: Slot, to: &mut dyn Translator| match slot {
        Slot::Key(key) => Slot::Key(to.symbol(key)),
        Slot::Position(_) => slot,
    };
    container.entries = of.entries.iter().map(|(key, one)| (slot(*key, to), value(one, to))).collect();
    container.rest = of.rest.iter().map(|one| value(one, to)).collect();
    container.like = of.like.map(|symbol| to.symbol(symbol)).filter(is_known);
    container.tidy();
    container
}
