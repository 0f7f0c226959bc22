//! Numbers, conditions, and the terms of what is not known.

use std::rc::Rc;

use super::choice::Question;
use super::machine::{Machine, Manner};
use super::value::{Atom, Nature, Shape, Term, Value};
use crate::ir::{Constant, Operator};

/// Names by which programs call the number of their rank, where nothing else says it.
const RANK_NAMES: [&str; 8] =
    ["rank", "global_rank", "world_rank", "my_rank", "myrank", "dist_rank", "local_rank", "proc_rank"];
/// Names by which they call how many ranks there are.
const SIZE_NAMES: [&str; 9] = [
    "world_size",
    "n_ranks",
    "nranks",
    "num_ranks",
    "comm_size",
    "nprocs",
    "num_processes",
    "n_procs",
    "world",
];

/// Whether a program calls the number of its rank so.
pub(super) fn is_rank_name(name: &str) -> bool {
    let bare = name.trim_start_matches('_');
    RANK_NAMES.iter().any(|it| it.eq_ignore_ascii_case(bare))
}

impl Machine<'_, '_> {
    /// The rank or the number of ranks, where a name says so.
    pub(super) fn by_name(&mut self, name: &str) -> Option<Value> {
        let bare = name.trim_start_matches('_').to_ascii_lowercase();
        if RANK_NAMES.contains(&bare.as_str()) {
            self.world = true;
            return Some(Value::Ranked(self.rank as i64));
        }
        let is_mpi = bare == "world" && self.program.unit.imports.iter().any(|it| it.starts_with("mpi4py"));
        let is_size = SIZE_NAMES.contains(&bare.as_str()) && !is_mpi;
        is_size.then(|| Value::int(self.size as i64))
    }

    /// Whether a value is true, where that is certain.
    pub(super) fn truth(&self, value: &Value) -> Option<bool> {
        match value {
            Value::Constant(constant) => match constant {
                Constant::None => Some(false),
                Constant::Bool(truth) => Some(*truth),
                Constant::Int(number) => Some(*number != 0),
                Constant::Str(text) => Some(!text.is_empty()),
                Constant::Other(_) => None,
            },
            Value::Ranked(number) => Some(*number != 0),
            Value::Container(container) => {
                let container = container.borrow();
                (!container.open).then_some(!container.items.is_empty())
            }
            Value::Unknown(term) => self.number_chosen(*term).map(|number| number != 0),
            Value::Tensor { .. } | Value::Iterator(_) => None,
            Value::Path(_)
            | Value::Function(_)
            | Value::Class(_)
            | Value::Instance(_)
            | Value::Handle { .. }
            | Value::Built(_)
            | Value::Group(_)
            | Value::Method { .. }
            | Value::Generator(_) => Some(true),
        }
    }

    fn number_chosen(&self, term: Term) -> Option<i64> {
        self.choices.chosen(Question::Number { term }).map(|chosen| chosen as i64)
    }

    /// The number behind a value, also one that this run has chosen.
    pub(super) fn number(&self, value: &Value) -> Option<i64> {
        match value {
            Value::Unknown(term) => self.number_chosen(*term),
            other => other.number(),
        }
    }

    /// The term of a value, made up where it has none.
    pub(super) fn term_of(&mut self, value: &Value) -> Term {
        if let Value::Unknown(term) | Value::Tensor { term, .. } = value {
            return *term;
        }
        if let Value::Instance(instance) = value {
            return instance.term;
        }
        if let Value::Container(container) = value {
            return container.borrow().term;
        }
        let atom = self.atom(value);
        self.apply("value", vec![atom])
    }

    pub(super) fn atom(&mut self, value: &Value) -> Atom {
        match value {
            Value::Constant(constant) => Atom::Constant(constant.clone()),
            Value::Ranked(number) => Atom::Ranked(*number),
            Value::Path(path) => Atom::Path(Rc::clone(path)),
            Value::Unknown(_) | Value::Tensor { .. } | Value::Instance(_) | Value::Container(_) => {
                Atom::Term(self.term_of(value))
            }
            Value::Function(_)
            | Value::Class(_)
            | Value::Handle { .. }
            | Value::Built(_)
            | Value::Group(_)
            | Value::Method { .. }
            | Value::Generator(_)
            | Value::Iterator(_) => Atom::Other,
        }
    }

    /// The term of an expression; its nature comes from its parts.
    pub(super) fn apply(&mut self, operator: &str, atoms: Vec<Atom>) -> Term {
        let mut nature = Nature { quiet: true, ..Nature::default() };
        for atom in &atoms {
            match atom {
                Atom::Term(term) => {
                    nature.local = nature.local.or_else(|| self.local(*term));
                    nature.varies |= self.terms.nature(*term).varies;
                    nature.quiet &= self.terms.nature(*term).quiet;
                }
                Atom::Ranked(_) => nature.varies = true,
                Atom::Constant(_) | Atom::Path(_) | Atom::Other => {}
            }
        }
        nature.text = operator == "f-string";
        // What something is does not depend on how much of it there is.
        nature.local = nature.local.filter(|_| operator != "is");
        let term = self.terms.intern(Shape::Apply(operator.into(), atoms), nature);
        if let Some(element) = self.element {
            self.born.entry(term).or_insert(element);
        }
        term
    }

    /// `operator(operands)`.
    pub(super) fn compute(&mut self, operator: &Operator, operands: &[Value]) -> Value {
        match (operator, operands) {
            (Operator::Not, [value]) => match self.truth(value) {
                Some(truth) => Value::bool(!truth),
                None => {
                    let term = self.term_of(value);
                    self.negated(term)
                }
            },
            (Operator::And, values) => self.joined("and", values, false),
            (Operator::Or, values) => self.joined("or", values, true),
            (Operator::NotEqual, [left, right]) => self.opposite(&Operator::Equal, left, right),
            (Operator::IsNot, [left, right]) => self.opposite(&Operator::Is, left, right),
            (Operator::NotIn, [left, right]) => self.opposite(&Operator::In, left, right),
            (Operator::Is, [left, right]) => self.is(left, right),
            (Operator::In, [left, right]) => self.is_in(left, right),
            (
                Operator::Equal
                | Operator::Less
                | Operator::LessEqual
                | Operator::Greater
                | Operator::GreaterEqual,
                [left, right],
            ) => self.compare(operator, left, right),
            (Operator::Other(text), values) => self.arithmetic(text, values),
            (operator, values) => self.unknown(name(operator), values),
        }
    }

    fn unknown(&mut self, operator: &str, values: &[Value]) -> Value {
        let atoms = values.iter().map(|it| self.atom(it)).collect();
        Value::Unknown(self.apply(operator, atoms))
    }

    fn negated(&mut self, term: Term) -> Value {
        if let Shape::Apply(operator, atoms) = self.terms.shape(term)
            && let ("not", [Atom::Term(inner)]) = (&**operator, atoms.as_slice())
        {
            return Value::Unknown(*inner);
        }
        Value::Unknown(self.apply("not", vec![Atom::Term(term)]))
    }

    fn opposite(&mut self, operator: &Operator, left: &Value, right: &Value) -> Value {
        let value = self.compute(operator, &[left.clone(), right.clone()]);
        self.compute(&Operator::Not, &[value])
    }

    fn joined(&mut self, word: &str, values: &[Value], decides: bool) -> Value {
        let truths: Vec<Option<bool>> = values.iter().map(|it| self.truth(it)).collect();
        if truths.contains(&Some(decides)) {
            return Value::bool(decides);
        }
        let mut open =
            values.iter().zip(&truths).filter(|(_, truth)| truth.is_none()).map(|(value, _)| value);
        match (open.next(), open.next()) {
            (None, _) => Value::bool(!decides),
            (Some(one), None) => one.clone(),
            (Some(_), Some(_)) => self.unknown(word, values),
        }
    }

    fn is(&mut self, left: &Value, right: &Value) -> Value {
        match (left, right) {
            (Value::Constant(left), Value::Constant(right)) => Value::bool(left == right),
            (Value::Unknown(term), Value::Constant(Constant::None))
                if self.number_chosen(*term).is_some() =>
            {
                Value::bool(false)
            }
            (Value::Unknown(_), _) | (_, Value::Unknown(_)) => {
                self.unknown("is", &[left.clone(), right.clone()])
            }
            (_, Value::Constant(_)) | (Value::Constant(_), _) => Value::bool(false),
            _ => self.unknown("is", &[left.clone(), right.clone()]),
        }
    }

    fn is_in(&mut self, left: &Value, right: &Value) -> Value {
        self.ranked |= matches!(left, Value::Ranked(_));
        if let (Some(number), Value::Container(container)) = (self.number(left), right) {
            let container = container.borrow();
            let numbers: Option<Vec<i64>> = match container.kind {
                crate::ir::ContainerKind::Dict => container
                    .items
                    .iter()
                    .map(|(key, _)| match key {
                        Some(Constant::Int(key)) => Some(*key),
                        _ => None,
                    })
                    .collect(),
                _ => container.items.iter().map(|(_, value)| self.number(value)).collect(),
            };
            if let Some(numbers) = numbers.filter(|_| !container.open) {
                return Value::bool(numbers.contains(&number));
            }
        }
        if let (Value::Constant(Constant::Str(text)), Value::Container(container)) = (left, right) {
            let known = |value: &Value| matches!(value, Value::Constant(Constant::Str(it)) if it == text);
            if container.borrow().items.iter().any(|(_, value)| known(value)) {
                return Value::bool(true);
            }
        }
        self.unknown("in", &[left.clone(), right.clone()])
    }

    /// A comparison; what is compared with the number of the rank is itself a number.
    fn compare(&mut self, operator: &Operator, left: &Value, right: &Value) -> Value {
        self.ranked |= [left, right].iter().any(|it| matches!(it, Value::Ranked(_)));
        let (left, right) = self.both_numbers(operator, left, right);
        if let (Some(x), Some(y)) = (self.number(&left), self.number(&right)) {
            return Value::bool(match operator {
                Operator::Equal => x == y,
                Operator::Less => x < y,
                Operator::LessEqual => x <= y,
                Operator::Greater => x > y,
                _ => x >= y,
            });
        }
        if let (Operator::Equal, Value::Constant(x), Value::Constant(y)) = (operator, &left, &right) {
            return Value::bool(x == y);
        }
        self.unknown(name(operator), &[left, right])
    }

    fn both_numbers(&mut self, operator: &Operator, left: &Value, right: &Value) -> (Value, Value) {
        let constant = |value: &Value| match value {
            Value::Unknown(term) => {
                let name = &self.terms.nature(*term).name;
                !name.is_empty() && name.chars().all(|it| !it.is_ascii_lowercase())
            }
            _ => false,
        };
        // A constant may be no rank at all.
        let none = *operator != Operator::Equal || constant(left) || constant(right);
        let of = self.size + usize::from(none);
        match (left, right) {
            (Value::Ranked(_), Value::Unknown(term)) if self.may_be_chosen(*term) => {
                self.choices.choose(Question::Number { term: *term }, of);
            }
            (Value::Unknown(term), Value::Ranked(_)) if self.may_be_chosen(*term) => {
                self.choices.choose(Question::Number { term: *term }, of);
            }
            _ => {}
        }
        (left.clone(), right.clone())
    }

    fn may_be_chosen(&self, term: Term) -> bool {
        let nature = self.terms.nature(term);
        let is_plain = !matches!(self.terms.shape(term), Shape::Apply(operator, _) if !operator.starts_with("parameter"));
        self.manner == Manner::Followed
            && is_plain
            && !nature.varies
            && !nature.text
            && self.local(term).is_none()
    }

    fn arithmetic(&mut self, text: &'static str, values: &[Value]) -> Value {
        let numbers: Option<Vec<i64>> = values.iter().map(|it| self.number(it)).collect();
        let ranked = values.iter().any(|it| matches!(it, Value::Ranked(_)));
        let result = numbers.and_then(|numbers| calculated(text, &numbers));
        match result {
            Some(number) if ranked => Value::Ranked(number),
            Some(number) => Value::int(number),
            None => self.unknown(text, values),
        }
    }
}

/// The result of an operator on numbers, as in Python.
pub(super) fn calculated(text: &str, numbers: &[i64]) -> Option<i64> {
    let result = match (text, numbers) {
        ("+", [x, y]) => x.checked_add(*y)?,
        ("-", [x, y]) => x.checked_sub(*y)?,
        ("*", [x, y]) => x.checked_mul(*y)?,
        ("%", [x, y]) if *y > 0 => x.rem_euclid(*y),
        ("//", [x, y]) if *y > 0 => x.div_euclid(*y),
        ("^", [x, y]) => x ^ y,
        ("&", [x, y]) => x & y,
        ("|", [x, y]) => x | y,
        ("<<", [x, y]) => x.checked_shl(u32::try_from(*y).ok().filter(|it| *it < 32)?)?,
        (">>", [x, y]) => x.checked_shr(u32::try_from(*y).ok().filter(|it| *it < 32)?)?,
        ("**", [x, y]) => x.checked_pow(u32::try_from(*y).ok()?)?,
        ("-x", [x]) => x.checked_neg()?,
        ("+x", [x]) => *x,
        ("~x", [x]) => !x,
        _ => return None,
    };
    Some(result)
}

fn name(operator: &Operator) -> &'static str {
    match operator {
        Operator::Not => "not",
        Operator::And => "and",
        Operator::Or => "or",
        Operator::Equal => "==",
        Operator::NotEqual => "!=",
        Operator::Less => "<",
        Operator::LessEqual => "<=",
        Operator::Greater => ">",
        Operator::GreaterEqual => ">=",
        Operator::Is => "is",
        Operator::IsNot => "is not",
        Operator::In => "in",
        Operator::NotIn => "not in",
        Operator::Other(text) => text,
    }
}
