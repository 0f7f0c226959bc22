//! Each handle is in fact something that the analysis says it may be.
//!
//! Wherever a run arrives at a block, one of the states that the analysis has there must **cover** it: its variables hold objects
//! of the right start, lists have the right elements, and what is pending in the run is not certainly finished in the state,
//! nor the other way round. Objects that the state tells apart are different in the run, and the other way round.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::concrete::{self, Coverage, Search, Snapshot, enumerate};
use super::programs::{Feature, Program, programs};
use super::{NEVER_JOINED, cases, catalog, lower, lowered, named, text};
use crate::flow::program;
use crate::flow::run::{APART, Run};
use crate::flow::state::State;
use crate::flow::value::{Container, Object, ObjectId, Status, Value};
use crate::ir::Unit;

/// So many runs are looked at.
const RUNS: usize = 150;

const WITH_LOOPS: &[Feature] =
    &[Feature::Compound, Feature::Tests, Feature::Loops, Feature::Exits, Feature::Escapes];
/// Where states were joined, a handle that a test says does not exist may still be held by the other names.
const WITHOUT_TESTS: &[Feature] = &[Feature::Compound, Feature::Loops, Feature::Exits, Feature::Escapes];
const WITH_LISTS: &[Feature] =
    &[Feature::Compound, Feature::Tests, Feature::Exits, Feature::Escapes, Feature::Lists];

/// The first point of a run that no state covers.
fn uncovered(unit: &Unit, apart: usize) -> Option<String> {
    let mut program = program::Program::new(unit, catalog());
    program.apart = apart;
    super::super::analyse_program(&mut program);
    let function = named(unit, "f");
    let run = Run::new(&mut program, function).finish();
    assert!(run.is_complete(), "the steps are used up");
    let mut missing = None;
    let _: Coverage = enumerate(unit, function, RUNS, &mut |outcome| {
        if outcome.strays {
            return Search::Open;
        }
        for snapshot in &outcome.observed {
            if !run.states_at(snapshot.block).any(|state| Cover::of(state, snapshot).holds()) {
                let states: Vec<_> =
                    run.states_at(snapshot.block).map(|state| (&state.locals, &state.heap)).collect();
                let (locals, heap) = (&snapshot.locals, &snapshot.heap);
                let at = snapshot.block;
                missing =
                    Some(format!("at {at:?}: {locals:?} {heap:?}\nthe analysis has {states:#?}\n{unit}"));
                return Search::Found;
            }
        }
        Search::Open
    });
    missing
}

/// Whether a state covers a point of a run.
struct Cover<'a> {
    state: &'a State,
    snapshot: &'a Snapshot,
    stands_for: BTreeMap<ObjectId, usize>,
}

impl<'a> Cover<'a> {
    fn of(state: &'a State, snapshot: &'a Snapshot) -> Self {
        Self { state, snapshot, stands_for: BTreeMap::new() }
    }

    fn holds(&mut self) -> bool {
        let snapshot = self.snapshot;
        snapshot.locals.iter().all(|(local, value)| self.value(value, &self.state.local(*local)))
    }

    fn value(&mut self, value: &concrete::Value, may_be: &Value) -> bool {
        let concrete::Value::Object(object) = value else {
            return !matches!(may_be, Value::Object(id) if self.matters(*id));
        };
        match may_be {
            // Which handle it is that can no longer be lost makes no difference.
            Value::Object(id) if !self.matters(*id) && !self.is_pending_here(*object) => true,
            Value::Object(id) => self.object(*object, *id) && self.is_the_same(*object, *id),
            Value::Each(ids) => ids.iter().any(|&id| self.object(*object, id)),
            // One of these, or something else that can no longer be lost.
            Value::Perhaps(ids) => {
                ids.iter().any(|&id| self.object(*object, id)) || !self.is_pending_here(*object)
            }
            Value::Part(id, _) => {
                let inner = self.state.container(*id).map(Container::objects).unwrap_or_default();
                inner.into_iter().any(|id| self.object(*object, id))
            }
            Value::Symbol(_) | Value::Function(_) => !self.is_pending_here(*object),
            Value::Method(_) | Value::Test(_) | Value::Length(_) => false,
        }
    }

    /// A handle that is finished, or belongs to somebody else, can no longer be lost: which variables hold it makes no difference.
    fn matters(&self, id: ObjectId) -> bool {
        self.state.handle(id).is_none_or(|handle| handle.status != Status::Finished && !handle.escaped)
    }

    fn is_pending_here(&self, object: usize) -> bool {
        let finished = match self.snapshot.heap.get(&object) {
            Some(concrete::Object::Handle(handle)) => handle.finished,
            _ => false,
        };
        !finished && !self.snapshot.escaped.contains(&object)
    }

    fn is_the_same(&mut self, object: usize, id: ObjectId) -> bool {
        if self.state.handle(id).is_some_and(|handle| handle.many) {
            return true;
        }
        let known = *self.stands_for.entry(id).or_insert(object);
        let others = self.stands_for.values().filter(|&&other| other == object).count();
        known == object && others == 1
    }

    fn object(&mut self, object: usize, id: ObjectId) -> bool {
        match (self.snapshot.heap.get(&object), self.state.heap.get(&id)) {
            (Some(concrete::Object::Handle(handle)), Some(Object::Handle(may_be))) => {
                let escaped = self.snapshot.escaped.contains(&object);
                let status = match may_be.status {
                    Status::Prepared => false,
                    Status::Pending => !handle.finished,
                    Status::Finished => handle.finished,
                    Status::Mixed => true,
                };
                may_be.started == handle.started[0]
                    && (status || may_be.escaped)
                    && (may_be.escaped || !escaped)
            }
            (Some(concrete::Object::Container(kind, elements)), Some(Object::Container(may_be))) => {
                *kind == may_be.kind
                    && may_be.filled.is_none_or(|filled| filled != elements.is_empty())
                    && self.elements(elements, &may_be.clone())
            }
            (Some(concrete::Object::Iterator(..)), Some(Object::Iterator(..))) => true,
            _ => false,
        }
    }

    fn elements(&mut self, elements: &[(concrete::Value, concrete::Value)], may_be: &Container) -> bool {
        if may_be.is_exact() {
            return elements.len() == may_be.entries.len()
                && elements.iter().zip(&may_be.entries).all(|((_, a), (_, b))| self.value(a, b));
        }
        elements.iter().all(|(_, element)| may_be.elements().any(|one| self.value(element, one)))
    }
}

fn of_ir(program: &Program, apart: usize) -> Option<String> {
    uncovered(&lowered::unit(program), apart)
}

fn of_text(program: &Program, apart: usize) -> Option<String> {
    uncovered(&lower(&text::python(program)), apart)
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn each_handle_in_a_loop_is_what_it_may_be(program in programs(WITH_LOOPS)) {
        let missing = of_ir(&program, NEVER_JOINED).or_else(|| of_text(&program, NEVER_JOINED));
        prop_assert!(missing.is_none(), "{}", missing.unwrap());
    }

    #[test]
    fn each_handle_in_a_list_is_what_it_may_be(program in programs(WITH_LISTS)) {
        let missing = of_ir(&program, NEVER_JOINED).or_else(|| of_text(&program, NEVER_JOINED));
        prop_assert!(missing.is_none(), "{}", missing.unwrap());
    }

    #[test]
    fn each_handle_is_what_it_may_be_where_states_are_joined(program in programs(WITHOUT_TESTS), apart in 1..4_usize) {
        let missing = of_ir(&program, apart.min(APART));
        prop_assert!(missing.is_none(), "{}", missing.unwrap());
    }
}
