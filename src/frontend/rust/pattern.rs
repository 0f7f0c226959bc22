//! Patterns: what they bind, and the tests that they are.
//!
//! `Some(p)` and `Ok(p)` ask whether there is something, `None` and `Err(p)` whether there is nothing; a literal or constant is compared;
//! the shape of any other variant is a test of which only its own text is known. A pattern that always matches (a `let`) is no test.
//!
//! ```text
//! match r.test() {
//!     Ok(_) => …             b0: %1 = %0 is not none; if %1 then b1 else b2
//!     Err(r) => r.wait(),    b2: %2 = %0 is none; if %2 then b3 …;  b3: r = error %0
//! }
//! ```

use syn::{ExprMatch, Lit, Pat, PatStruct, PatTupleStruct};

use super::condition::Targets;
use super::names::{plain, segments};
use super::{Lowering, nothing};
use crate::ir::{BlockId, Constant, Local, Operand, Operation, Operator, Terminator};
use crate::source::Span;

/// What a pattern asks about the value as a whole.
enum Shape {
    /// It is there: `Some(_)`, `Ok(_)`.
    Something,
    /// It is not: `None`, `Err(_)`.
    Nothing,
    /// Something else, told apart by this text.
    Other(String),
}

impl Lowering<'_> {
    /// `match subject { … }`.
    pub(super) fn match_expression(&mut self, it: &ExprMatch, at: Span) -> Operand {
        let result = self.temporary(at);
        let mark = self.mark();
        let subject = self.expression(&it.expr);
        let after = self.block();
        for arm in &it.arms {
            let next = self.block();
            self.push_layer();
            let inner = self.mark();
            let (body, failed) = (self.block(), self.block());
            self.configured_arm(&arm.attrs, failed);
            self.pattern(&arm.pat, &subject, Some(failed));
            self.goto(body);
            let tests = self.take_since(inner);
            self.switch_to(failed);
            self.forget(&tests);
            self.goto(next);
            self.switch_to(body);
            self.forget(&tests);
            let mark = self.mark();
            let value = self.expression(&arm.body);
            self.emit(Operation::Assign { to: result, from: value }, self.span_of(&arm.body));
            self.forget_since(mark);
            self.pop_layer(self.span_of(&arm.body));
            self.goto(after);
            self.switch_to(next);
        }
        // One of the arms matches.
        self.panic();
        self.switch_to(after);
        self.forget_since(mark);
        Operand::Local(result)
    }

    fn configured_arm(&mut self, attributes: &[syn::Attribute], failed: BlockId) {
        if attributes.iter().any(super::attribute::is_condition) {
            let next = self.block();
            self.end(Terminator::Choose(vec![next, failed]));
            self.switch_to(next);
        }
    }

    /// Binds the names of a pattern that always matches.
    pub(super) fn bind_pattern(&mut self, pattern: &Pat, value: Operand) {
        self.pattern(pattern, &value, None);
    }

    /// Declares the names of a pattern without a value.
    pub(super) fn declare_names(&mut self, pattern: &Pat) {
        let mut names = Vec::new();
        names_in(pattern, &mut names);
        let at = self.span_of_node(pattern);
        for name in names {
            self.declare(&name, at);
        }
    }

    /// Goes on in the current block where the pattern matches, else to `failed`.
    pub(super) fn pattern(&mut self, pattern: &Pat, subject: &Operand, failed: Option<BlockId>) {
        let at = self.span_of_pattern(pattern);
        let _ = self.deeper(at, |it| it.match_pattern(pattern, subject, failed, at));
    }

    fn span_of_pattern(&self, pattern: &Pat) -> Span {
        match pattern {
            Pat::Guard(it) => self.span_of_pattern(&it.pat),
            other => self.span_of_node(other),
        }
    }

    fn match_pattern(&mut self, pattern: &Pat, subject: &Operand, failed: Option<BlockId>, at: Span) {
        match pattern {
            Pat::Ident(it) => {
                let name = plain(&it.ident);
                if it.subpat.is_none() && name.starts_with(char::is_uppercase) && it.by_ref.is_none() {
                    return self.constant_pattern(&name, subject, failed, at);
                }
                self.bind_name(&name, subject.clone(), at);
                if let Some((_, inner)) = &it.subpat {
                    self.pattern(inner, subject, failed);
                }
            }
            Pat::TupleStruct(it) => self.tuple_struct(it, subject, failed, at),
            Pat::Struct(it) => self.struct_pattern(it, subject, failed, at),
            Pat::Tuple(it) => self.sequence(it.elems.iter().collect(), subject, failed),
            Pat::Slice(it) => {
                self.require_shape(subject, failed, at);
                self.sequence(it.elems.iter().collect(), subject, failed);
            }
            Pat::Path(it) => self.constant_pattern(&segments(&it.path).join("::"), subject, failed, at),
            Pat::Lit(it) => {
                let value = self.literal(&it.lit);
                self.require(Operator::Equal, vec![subject.clone(), value], failed, at);
            }
            Pat::Or(it) => self.alternatives(it.cases.iter().collect(), subject, failed),
            Pat::Reference(it) => self.pattern(&it.pat, subject, failed),
            Pat::Paren(it) => self.pattern(&it.pat, subject, failed),
            Pat::Type(it) => self.pattern(&it.pat, subject, failed),
            Pat::Guard(it) => {
                self.pattern(&it.pat, subject, failed);
                let Some(failed) = failed else { return };
                let yes = self.block();
                self.condition(&it.guard, Targets { yes, no: failed, repeats: false });
                self.switch_to(yes);
            }
            Pat::Wild(_) | Pat::Rest(_) => {}
            Pat::Const(_) | Pat::Range(_) | Pat::Macro(_) | Pat::Verbatim(_) => {
                self.require_shape(subject, failed, at);
            }
            _ => self.require_shape(subject, failed, at),
        }
    }

    fn bind_name(&mut self, name: &str, value: Operand, at: Span) {
        let is_map = matches!(&value, Operand::Local(local) if self.scope().maps.contains(local));
        let to = self.declare(name, at);
        if is_map {
            self.scope().maps.insert(to);
        }
        if value != Operand::Local(to) {
            self.emit(Operation::Assign { to, from: value.clone() }, at);
        }
        if let Some((_, class)) = self.awaited_collection.take_if(|(awaited, _)| awaited == name) {
            self.note_collection(to, class);
            // From here on the name alone holds it.
            if let Operand::Local(made) = value {
                self.forget(&[(made, at)]);
            }
        }
    }

    fn alternatives(&mut self, cases: Vec<&Pat>, subject: &Operand, failed: Option<BlockId>) {
        let matched = self.block();
        let last = cases.len().saturating_sub(1);
        // All cases bind the same names, to the same variables.
        let mut names = Vec::new();
        cases.iter().take(1).for_each(|it| names_in(it, &mut names));
        if let Some(layer) = self.scope().layers.last_mut() {
            layer.twins.extend(names);
        }
        for (index, case) in cases.into_iter().enumerate() {
            let other = if index == last { failed } else { Some(self.block()) };
            self.pattern(case, subject, other);
            self.goto(matched);
            if let Some(other) = other {
                self.switch_to(other);
            }
        }
        self.switch_to(matched);
    }

    fn constant_pattern(&mut self, path: &str, subject: &Operand, failed: Option<BlockId>, at: Span) {
        match shape(path) {
            Shape::Nothing => self.require(Operator::Is, vec![subject.clone(), nothing()], failed, at),
            Shape::Something => {}
            Shape::Other(text) => {
                let value = Operand::Constant(Constant::Other(text));
                self.require(Operator::Equal, vec![subject.clone(), value], failed, at);
            }
        }
    }

    fn tuple_struct(&mut self, it: &PatTupleStruct, subject: &Operand, failed: Option<BlockId>, at: Span) {
        let path = segments(&it.path).join("::");
        let first = it.elems.first();
        match shape(&path) {
            Shape::Something => {
                self.require(Operator::IsNot, vec![subject.clone(), nothing()], failed, at);
                first.into_iter().for_each(|inner| self.pattern(inner, subject, failed));
            }
            Shape::Nothing => {
                self.require(Operator::Is, vec![subject.clone(), nothing()], failed, at);
                if let Some(inner) = first {
                    let error = self.unknown(super::ERROR, vec![subject.clone()], at);
                    self.pattern(inner, &error, failed);
                }
            }
            Shape::Other(_) => {
                self.require_shape(subject, failed, at);
                for (index, inner) in it.elems.iter().enumerate() {
                    self.field_pattern(&index.to_string(), inner, subject, failed);
                }
            }
        }
    }

    fn struct_pattern(&mut self, it: &PatStruct, subject: &Operand, failed: Option<BlockId>, at: Span) {
        self.require_shape(subject, failed, at);
        for field in &it.fields {
            self.field_pattern(&super::expression::member(&field.member), &field.pat, subject, failed);
        }
    }

    fn field_pattern(&mut self, name: &str, inner: &Pat, subject: &Operand, failed: Option<BlockId>) {
        if matches!(inner, Pat::Wild(_) | Pat::Rest(_)) {
            return;
        }
        let at = self.span_of_pattern(inner);
        self.names_read.insert(name.to_owned());
        let to = self.temporary(at);
        self.emit(Operation::Field { to, of: subject.clone(), name: name.to_owned() }, at);
        self.pattern(inner, &Operand::Local(to), failed);
    }

    /// `(a, .., (b, c))`: names take their element directly, other patterns by way of a temporary.
    fn sequence(&mut self, patterns: Vec<&Pat>, subject: &Operand, failed: Option<BlockId>) {
        let is_rest = |it: &&Pat| match it {
            Pat::Rest(_) => true,
            Pat::Ident(it) => {
                it.subpat.as_ref().is_some_and(|(_, inner)| matches!(inner.as_ref(), Pat::Rest(_)))
            }
            _ => false,
        };
        let star = patterns.iter().position(is_rest);
        let mut to: Vec<Local> = Vec::with_capacity(patterns.len());
        let mut later = Vec::new();
        let begin = patterns.first().map(|it| self.span_of_pattern(it)).unwrap_or_default();
        for pattern in patterns {
            let at = self.span_of_pattern(pattern);
            match pattern {
                Pat::Ident(it) if is_plain(it) => to.push(self.declare(&plain(&it.ident), at)),
                _ => {
                    let local = self.temporary(at);
                    to.push(local);
                    later.push((pattern, local));
                }
            }
        }
        self.emit(Operation::Unpack { to, star, from: subject.clone() }, begin);
        for (pattern, local) in later {
            self.pattern(pattern, &Operand::Local(local), failed);
        }
    }

    /// Goes on where the operation is true. Where there is no other way it is true.
    fn require(&mut self, operator: Operator, operands: Vec<Operand>, failed: Option<BlockId>, at: Span) {
        let Some(failed) = failed else { return };
        let on = self.compute(operator, operands, at);
        let matched = self.block();
        self.end(Terminator::Branch { on, yes: matched, no: failed, span: at, repeats: false });
        self.switch_to(matched);
    }

    /// A test that is told apart from others by the text of its pattern.
    fn require_shape(&mut self, subject: &Operand, failed: Option<BlockId>, at: Span) {
        let text = Operand::Constant(Constant::Other(at.of(self.text).to_owned()));
        self.require(Operator::Other("match"), vec![subject.clone(), text], failed, at);
    }

    pub(super) fn literal(&self, literal: &Lit) -> Operand {
        Operand::Constant(match literal {
            Lit::Int(it) => match it.base10_parse::<i64>() {
                Ok(value) => Constant::Int(value),
                Err(_) => Constant::Other(it.to_string()),
            },
            Lit::Bool(it) => Constant::Bool(it.value),
            Lit::Str(it) => Constant::Str(it.value()),
            Lit::Float(it) => Constant::Other(it.to_string()),
            other => Constant::Other(self.span_of_node(other).of(self.text).to_owned()),
        })
    }
}

/// A name that binds, and nothing else.
fn is_plain(it: &syn::PatIdent) -> bool {
    it.subpat.is_none() && (it.by_ref.is_some() || !it.ident.to_string().starts_with(char::is_uppercase))
}

fn shape(path: &str) -> Shape {
    match path.rsplit("::").next().unwrap_or(path) {
        "Some" | "Ok" => Shape::Something,
        "None" | "Err" => Shape::Nothing,
        _ => Shape::Other(path.to_owned()),
    }
}

/// The names that a pattern binds.
pub(super) fn names_in(pattern: &Pat, names: &mut Vec<String>) {
    let mut pending = vec![pattern];
    while let Some(pattern) = pending.pop() {
        match pattern {
            Pat::Ident(it) => {
                if is_plain(it) || it.subpat.is_some() {
                    names.push(plain(&it.ident));
                }
                pending.extend(it.subpat.as_ref().map(|(_, inner)| inner.as_ref()));
            }
            Pat::TupleStruct(it) => pending.extend(&it.elems),
            Pat::Struct(it) => pending.extend(it.fields.iter().map(|it| it.pat.as_ref())),
            Pat::Tuple(it) => pending.extend(&it.elems),
            Pat::Slice(it) => pending.extend(&it.elems),
            Pat::Or(it) => pending.extend(&it.cases),
            Pat::Reference(it) => pending.push(&it.pat),
            Pat::Paren(it) => pending.push(&it.pat),
            Pat::Type(it) => pending.push(&it.pat),
            Pat::Guard(it) => pending.push(&it.pat),
            _ => {}
        }
    }
}
