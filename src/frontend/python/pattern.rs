//! `match`: the subject is evaluated once, then each arm is tried in order.
//!
//! A literal or dotted name is compared (`==`, `is` for `None`, `True`, `False`). A sequence, mapping or class pattern is a test of
//! which only its own text is known, followed by its parts. Captures bind; a wildcard always matches. `case [a, Work(b)] if a:` is
//!
//! ```text
//! b0: %0 = [a, Work(b)] (subject)         a test of its own, told apart by its text
//!     if %0 then b3 else b2
//! b3: a = element subject[0]
//!     %1 = element subject[1]
//!     %2 = Work(b) (%1, Work)
//!     …
//! ```

use ruff_python_ast::{
    Expr, MatchCase, Pattern, PatternMatchClass, PatternMatchMapping, Singleton, StmtMatch,
};
use ruff_text_size::Ranged;

use super::condition::Targets;
use super::exits::Frame;
use super::{Lowering, span_of};
use crate::ir::{BlockId, Constant, Key, Operand, Operation, Operator, Terminator};
use crate::source::Span;

/// The patterns directly inside a pattern.
pub(super) fn parts(pattern: &Pattern) -> Box<dyn Iterator<Item = &Pattern> + '_> {
    match pattern {
        Pattern::MatchSequence(it) => Box::new(it.patterns.iter()),
        Pattern::MatchMapping(it) => Box::new(it.patterns.iter()),
        Pattern::MatchOr(it) => Box::new(it.patterns.iter()),
        Pattern::MatchAs(it) => Box::new(it.pattern.as_deref().into_iter()),
        Pattern::MatchClass(it) => {
            Box::new(it.arguments.patterns.iter().chain(it.arguments.keywords.iter().map(|it| &it.pattern)))
        }
        Pattern::MatchValue(_) | Pattern::MatchSingleton(_) | Pattern::MatchStar(_) => {
            Box::new(std::iter::empty())
        }
    }
}

impl<'a> Lowering<'a> {
    /// `match subject: case …`.
    pub(super) fn match_statement(&mut self, statement: &'a StmtMatch) {
        let mark = self.mark();
        let subject = self.expression(&statement.subject);
        let held = self.take_since(mark);
        let after = self.block();
        self.scope().frames.push(Frame::Match(held));
        for case in &statement.cases {
            let next = self.block();
            self.arm(case, &subject, next);
            self.goto(after);
            self.switch_to(next);
        }
        self.goto(after);
        self.switch_to(after);
        if let Some(Frame::Match(held)) = self.scope().frames.pop() {
            self.forget(&held);
        }
    }

    fn arm(&mut self, case: &'a MatchCase, subject: &Operand, next: BlockId) {
        let (body, failed) = (self.block(), self.block());
        let mark = self.mark();
        self.pattern(&case.pattern, subject, failed);
        match &case.guard {
            Some(guard) => self.condition(guard, Targets { yes: body, no: failed, repeats: false }),
            None => self.goto(body),
        }
        let temporaries = self.take_since(mark);
        self.switch_to(failed);
        self.forget(&temporaries);
        self.goto(next);
        self.switch_to(body);
        self.forget(&temporaries);
        self.statements(&case.body);
    }

    /// Goes on in the current block where the pattern matches, else to `failed`.
    fn pattern(&mut self, pattern: &'a Pattern, subject: &Operand, failed: BlockId) {
        let at = span_of(pattern);
        let _ = self.deeper(at, |it| it.match_pattern(pattern, subject, failed, at));
    }

    fn match_pattern(&mut self, pattern: &'a Pattern, subject: &Operand, failed: BlockId, at: Span) {
        match pattern {
            Pattern::MatchValue(it) => {
                let value = self.expression(&it.value);
                self.require(Operator::Equal, vec![subject.clone(), value], failed, at);
            }
            Pattern::MatchSingleton(it) => {
                let constant = match it.value {
                    Singleton::None => Constant::None,
                    Singleton::True => Constant::Bool(true),
                    Singleton::False => Constant::Bool(false),
                };
                self.require(Operator::Is, vec![subject.clone(), Operand::Constant(constant)], failed, at);
            }
            Pattern::MatchSequence(it) => self.sequence(&it.patterns, subject, failed, at),
            Pattern::MatchMapping(it) => self.mapping(it, subject, failed, at),
            Pattern::MatchClass(it) => self.class_pattern(it, subject, failed, at),
            Pattern::MatchStar(it) => {
                if let Some(name) = &it.name {
                    self.bind_name(name.as_str(), subject.clone(), at);
                }
            }
            Pattern::MatchAs(it) => {
                if let Some(inner) = &it.pattern {
                    self.pattern(inner, subject, failed);
                }
                if let Some(name) = &it.name {
                    self.bind_name(name.as_str(), subject.clone(), span_of(name));
                }
            }
            Pattern::MatchOr(it) => self.alternatives(&it.patterns, subject, failed),
        }
    }

    fn alternatives(&mut self, patterns: &'a [Pattern], subject: &Operand, failed: BlockId) {
        let matched = self.block();
        let last = patterns.len().saturating_sub(1);
        for (index, pattern) in patterns.iter().enumerate() {
            let other = if index == last { failed } else { self.block() };
            self.pattern(pattern, subject, other);
            self.goto(matched);
            self.switch_to(other);
        }
        self.switch_to(matched);
    }

    /// Goes on where the operation is true.
    fn require(&mut self, operator: Operator, operands: Vec<Operand>, failed: BlockId, at: Span) {
        let on = self.compute(operator, operands, at);
        let matched = self.block();
        self.end(Terminator::Branch { on, yes: matched, no: failed, span: at, repeats: false });
        self.switch_to(matched);
    }

    /// A test that is told apart from others by the text of its pattern.
    fn require_shape(&mut self, mut operands: Vec<Operand>, failed: BlockId, at: Span) {
        operands.push(Operand::Constant(Constant::Other(at.of(self.text).to_owned())));
        self.require(Operator::Other("match"), operands, failed, at);
    }

    fn sequence(&mut self, patterns: &'a [Pattern], subject: &Operand, failed: BlockId, at: Span) {
        self.require_shape(vec![subject.clone()], failed, at);
        let star = patterns.iter().position(|it| matches!(it, Pattern::MatchStar(_)));
        let count = patterns.len() as i64;
        for (index, pattern) in patterns.iter().enumerate() {
            let place = index as i64;
            let constant = |value: i64| Operand::Constant(Constant::Int(value));
            let key = match star {
                Some(star) if index == star => {
                    let behind = count - place - 1;
                    Key::Range(Some(constant(place)), (behind > 0).then(|| constant(-behind)))
                }
                Some(star) if index > star => Key::At(constant(place - count)),
                _ => Key::At(constant(place)),
            };
            self.element_pattern(pattern, subject, key, failed);
        }
    }

    fn element_pattern(&mut self, pattern: &'a Pattern, subject: &Operand, key: Key, failed: BlockId) {
        if binds_nothing(pattern) {
            return;
        }
        let at = span_of(pattern);
        let to = self.temporary(at);
        self.emit(Operation::Element { to, of: subject.clone(), key }, at);
        self.pattern(pattern, &Operand::Local(to), failed);
    }

    fn mapping(&mut self, mapping: &'a PatternMatchMapping, subject: &Operand, failed: BlockId, at: Span) {
        self.require_shape(vec![subject.clone()], failed, at);
        for (key, pattern) in mapping.keys.iter().zip(&mapping.patterns) {
            let key = Key::At(self.expression(key));
            self.element_pattern(pattern, subject, key, failed);
        }
        if let Some(rest) = &mapping.rest {
            let value = self.unknown("match", vec![subject.clone()], span_of(rest));
            self.bind_name(rest.as_str(), value, span_of(rest));
        }
    }

    fn class_pattern(
        &mut self,
        pattern: &'a PatternMatchClass,
        subject: &Operand,
        failed: BlockId,
        at: Span,
    ) {
        let class: &'a Expr = &pattern.cls;
        let class = self.expression(class);
        self.require_shape(vec![subject.clone(), class], failed, at);
        for inner in &pattern.arguments.patterns {
            let value = self.unknown("match", vec![subject.clone()], span_of(inner));
            self.pattern(inner, &value, failed);
        }
        for keyword in &pattern.arguments.keywords {
            let span = super::span(keyword.range());
            let to = self.temporary(span);
            let name = keyword.attr.as_str().to_owned();
            self.emit(Operation::Field { to, of: subject.clone(), name }, span);
            self.pattern(&keyword.pattern, &Operand::Local(to), failed);
        }
    }
}

/// `_`, `*_`.
fn binds_nothing(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::MatchAs(it) => it.pattern.is_none() && it.name.is_none(),
        Pattern::MatchStar(it) => it.name.is_none(),
        _ => false,
    }
}
