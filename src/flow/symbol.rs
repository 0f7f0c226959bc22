//! Symbols: names for values that are not known but can be recognised when they come again.
//!
//! `if ctx.fast: h = start()` … `if ctx.fast: h.wait()` is correct because both tests read the same value. The analysis sees
//! that because both conditions evaluate to the same symbol, the field `fast` of the parameter `ctx`:
//!
//! ```text
//! ctx.fast                      field(parameter 0, fast)
//! rank = dist.get_rank()        call(torch.distributed.get_rank)
//! rank == 0                     equal(call(torch.distributed.get_rank), 0)
//! ```
//!
//! A symbol says nothing about the variable that holds it, so rebinding a variable invalidates nothing. A symbol that is
//! made anew each time its place is executed ([`Term::Result`], [`Term::Item`], [`Term::Merged`]) is forgotten first, with
//! everything that was known of it. Terms are interned: equal terms are equal numbers.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ir::{BlockId, ClassId, Constant, FunctionId, Local, Operator};

/// An interned term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// A value of which nothing will ever be known.
    pub(crate) const UNKNOWN: Self = Self(0);
    /// The constant `None`.
    pub(crate) const NONE: Self = Self(1);

    /// Its number.
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// A place in the code of one function: the running number of an operation, and which of its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Site {
    pub(crate) operation: u32,
    pub(crate) part: u32,
}

/// What a symbol stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Term {
    /// Anything.
    Unknown,
    /// A constant.
    Constant(Constant),
    /// An imported dotted path: `torch.distributed`.
    Path(Arc<str>),
    /// What a parameter held when the function was entered.
    Parameter(u32),
    /// What a variable of the enclosing function holds.
    Captured(Local),
    /// What a name of the file's top level holds.
    Global(Arc<str>),
    /// A function of the file.
    Function(FunctionId),
    /// A class of the file.
    Class(ClassId),
    /// The result of the operation at a site, each time another.
    Result(Site),
    /// The number of a turn: what `enumerate` gives.
    Number(Site),
    /// A variable at a block where several ways with different values meet, each time another.
    Merged(BlockId, u32),
    /// The current element of an iteration over a symbol.
    Item(Symbol),
    /// `x.name`.
    Field(Symbol, Arc<str>),
    /// `x[key]`.
    Element([Symbol; 2]),
    /// The number of elements of a container.
    Length(Symbol),
    /// An operator applied.
    Apply(Operator, Vec<Symbol>),
    /// A call whose result is taken to be the same for the same arguments: callee first.
    Call(Vec<Symbol>),
}

/// How deep a term may be before it is just the result of its site.
const DEEPEST: u8 = 6;

/// All terms met so far.
#[derive(Debug)]
pub(crate) struct Symbols {
    terms: Vec<Term>,
    depths: Vec<u8>,
    numbers: HashMap<Term, Symbol>,
}

impl Symbols {
    pub(crate) fn new() -> Self {
        let mut symbols = Self { terms: Vec::new(), depths: Vec::new(), numbers: HashMap::new() };
        symbols.intern(Term::Unknown);
        symbols.intern(Term::Constant(Constant::None));
        symbols
    }

    /// The symbol of a term; [`Symbol::UNKNOWN`] where the term is too deep to be worth keeping.
    pub(crate) fn intern(&mut self, term: Term) -> Symbol {
        if let Some(&known) = self.numbers.get(&term) {
            return known;
        }
        let below = parts(&term).iter().map(|&part| self.depths[part.0 as usize]).max();
        let depth = below.map_or(0, |deepest| deepest + 1);
        if depth > DEEPEST {
            return Symbol::UNKNOWN;
        }
        let symbol = Symbol(self.terms.len() as u32);
        self.numbers.insert(term.clone(), symbol);
        self.terms.push(term);
        self.depths.push(depth);
        symbol
    }

    /// Whether little can be made of a symbol before the term becomes too deep.
    pub(crate) fn is_deep(&self, symbol: Symbol) -> bool {
        self.depths[symbol.0 as usize] > DEEPEST / 2
    }

    /// The symbol of a term, if the term was met before.
    pub(crate) fn known(&self, term: &Term) -> Option<Symbol> {
        self.numbers.get(term).copied()
    }

    pub(crate) fn constant(&mut self, constant: &Constant) -> Symbol {
        self.intern(Term::Constant(constant.clone()))
    }

    pub(crate) fn field(&mut self, of: Symbol, name: &str) -> Symbol {
        match self.term(of) {
            Term::Path(path) => {
                let path = format!("{path}.{name}");
                self.intern(Term::Path(path.into()))
            }
            Term::Unknown => Symbol::UNKNOWN,
            _ => self.intern(Term::Field(of, name.into())),
        }
    }

    pub(crate) fn element(&mut self, of: Symbol, key: Symbol) -> Symbol {
        if of == Symbol::UNKNOWN { of } else { self.intern(Term::Element([of, key])) }
    }

    pub(crate) fn term(&self, symbol: Symbol) -> &Term {
        &self.terms[symbol.0 as usize]
    }

    pub(crate) fn constant_of(&self, symbol: Symbol) -> Option<&Constant> {
        match self.term(symbol) {
            Term::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    pub(crate) fn path_of(&self, symbol: Symbol) -> Option<Arc<str>> {
        match self.term(symbol) {
            Term::Path(path) => Some(path.clone()),
            _ => None,
        }
    }

    /// Whether `whole` is `part` or is made of it.
    pub(crate) fn mentions(&self, whole: Symbol, part: Symbol) -> bool {
        // A term is interned after its parts, so a smaller number cannot mention a larger one.
        whole == part
            || (whole > part && parts(self.term(whole)).iter().any(|&inner| self.mentions(inner, part)))
    }

    /// Whether `test` holds for the term of `symbol` or of anything that it is made of.
    pub(crate) fn any_part(&self, symbol: Symbol, test: &dyn Fn(&Term) -> bool) -> bool {
        let term = self.term(symbol);
        test(term) || parts(term).iter().any(|&inner| self.any_part(inner, test))
    }

    /// Calls `visit` with the term of `symbol` and of everything that it is made of.
    pub(crate) fn visit_parts(&self, symbol: Symbol, visit: &mut dyn FnMut(&Term)) {
        let term = self.term(symbol);
        visit(term);
        parts(term).iter().for_each(|&inner| self.visit_parts(inner, visit));
    }

    /// The last name of the expression that a symbol stands for: `comm` for `self.comm`.
    pub(crate) fn last_name(&self, symbol: Symbol) -> Option<Arc<str>> {
        match self.term(symbol) {
            Term::Field(_, name) | Term::Global(name) => Some(name.clone()),
            Term::Path(path) => path.rsplit('.').next().map(Into::into),
            _ => None,
        }
    }

    /// Rebuilds a term with other leaves: what a callee calls its parameters, the caller calls its arguments.
    pub(crate) fn rebuild(
        &mut self,
        symbol: Symbol,
        leaf: &mut dyn FnMut(&Term) -> Option<Symbol>,
    ) -> Symbol {
        let term = self.term(symbol).clone();
        if let Some(replaced) = leaf(&term) {
            return replaced;
        }
        match term {
            Term::Item(of) => {
                let of = self.rebuild(of, leaf);
                if of == Symbol::UNKNOWN { of } else { self.intern(Term::Item(of)) }
            }
            Term::Length(of) => {
                let of = self.rebuild(of, leaf);
                if of == Symbol::UNKNOWN { of } else { self.intern(Term::Length(of)) }
            }
            Term::Field(of, name) => {
                let of = self.rebuild(of, leaf);
                self.field(of, &name)
            }
            Term::Element([of, key]) => {
                let (of, key) = (self.rebuild(of, leaf), self.rebuild(key, leaf));
                self.element(of, key)
            }
            Term::Apply(operator, operands) => {
                let operands =
                    operands.into_iter().map(|operand| self.rebuild(operand, leaf)).collect::<Vec<_>>();
                self.apply(&operator, operands)
            }
            Term::Call(all) => {
                let all = all.into_iter().map(|part| self.rebuild(part, leaf)).collect::<Vec<_>>();
                self.call(all)
            }
            Term::Unknown
            | Term::Constant(_)
            | Term::Path(_)
            | Term::Parameter(_)
            | Term::Captured(_)
            | Term::Global(_)
            | Term::Function(_)
            | Term::Class(_)
            | Term::Result(_)
            | Term::Number(_)
            | Term::Merged(..) => symbol,
        }
    }

    /// The symbol of a call with the same arguments; unknown where any of them is.
    pub(crate) fn call(&mut self, all: Vec<Symbol>) -> Symbol {
        if all.contains(&Symbol::UNKNOWN) { Symbol::UNKNOWN } else { self.intern(Term::Call(all)) }
    }

    /// The symbol of an operator applied, folded where the operands are constants.
    pub(crate) fn apply(&mut self, operator: &Operator, operands: Vec<Symbol>) -> Symbol {
        if let Some(folded) = self.fold(operator, &operands) {
            return self.constant(&folded);
        }
        if operands.contains(&Symbol::UNKNOWN)
            && !matches!(operator, Operator::And | Operator::Or | Operator::Not)
            && *operator != super::regions::SLICE
        {
            return Symbol::UNKNOWN;
        }
        self.intern(Term::Apply(operator.clone(), operands))
    }

    fn fold(&self, operator: &Operator, operands: &[Symbol]) -> Option<Constant> {
        let constants: Vec<&Constant> =
            operands.iter().filter_map(|&operand| self.constant_of(operand)).collect();
        match (operator, operands, constants.as_slice()) {
            (Operator::Not, [_], [one]) => truth_of(one).map(|truth| Constant::Bool(!truth)),
            (Operator::Other("-"), [_], [Constant::Int(n)]) => n.checked_neg().map(Constant::Int),
            (Operator::Other("+"), [_, _], [Constant::Int(a), Constant::Int(b)]) => {
                a.checked_add(*b).map(Constant::Int)
            }
            (Operator::Other("*"), [_, _], [Constant::Int(a), Constant::Int(b)]) => {
                a.checked_mul(*b).map(Constant::Int)
            }
            (Operator::Other("-"), [_, _], [Constant::Int(a), Constant::Int(b)]) => {
                a.checked_sub(*b).map(Constant::Int)
            }
            (Operator::Equal | Operator::Is, [_, _], [a, b]) => decided(a, b).map(Constant::Bool),
            (Operator::NotEqual | Operator::IsNot, [_, _], [a, b]) => {
                decided(a, b).map(|same| Constant::Bool(!same))
            }
            (Operator::Less, [_, _], [Constant::Int(a), Constant::Int(b)]) => Some(Constant::Bool(a < b)),
            (Operator::LessEqual, [_, _], [Constant::Int(a), Constant::Int(b)]) => {
                Some(Constant::Bool(a <= b))
            }
            (Operator::Greater, [_, _], [Constant::Int(a), Constant::Int(b)]) => Some(Constant::Bool(a > b)),
            (Operator::GreaterEqual, [_, _], [Constant::Int(a), Constant::Int(b)]) => {
                Some(Constant::Bool(a >= b))
            }
            _ => None,
        }
    }
}

/// Whether two constants are equal, where that is certain.
fn decided(a: &Constant, b: &Constant) -> Option<bool> {
    let vague = |constant: &Constant| matches!(constant, Constant::Other(_));
    if vague(a) || vague(b) {
        return None;
    }
    match (a, b) {
        (Constant::Bool(_), Constant::Int(_)) | (Constant::Int(_), Constant::Bool(_)) => None,
        _ => Some(a == b),
    }
}

/// The truth value of a constant, where it is certain.
pub(crate) fn truth_of(constant: &Constant) -> Option<bool> {
    match constant {
        Constant::None => Some(false),
        Constant::Bool(value) => Some(*value),
        Constant::Int(value) => Some(*value != 0),
        Constant::Str(value) => Some(!value.is_empty()),
        Constant::Other(_) => None,
    }
}

/// The symbols that a term is made of.
pub(crate) fn parts(term: &Term) -> &[Symbol] {
    match term {
        Term::Apply(_, all) | Term::Call(all) => all,
        Term::Element(both) => both,
        Term::Item(of) | Term::Length(of) | Term::Field(of, _) => std::slice::from_ref(of),
        Term::Unknown
        | Term::Constant(_)
        | Term::Path(_)
        | Term::Parameter(_)
        | Term::Captured(_)
        | Term::Global(_)
        | Term::Function(_)
        | Term::Class(_)
        | Term::Result(_)
        | Term::Number(_)
        | Term::Merged(..) => &[],
    }
}
