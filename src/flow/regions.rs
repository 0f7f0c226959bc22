//! Regions: which part of which storage a symbol names.
//!
//! A symbol says how a value was come by, and that tells what it shares storage with. Walking from the symbol to where the
//! storage was made gives its **root** and the **steps** that lead from there to the part:
//!
//! ```text
//! x = torch.empty(8)            root: result of torch.empty
//! x[:n]                         the same root, a range
//! x.view(2, 4)[1]               the same root, all of it in another shape, then an index
//! x.clone()                     a root of its own
//! self.bufs[i]                  root: the attribute, an index
//! ```
//!
//! Two regions of one root **overlap**, are **apart**, or nobody knows: `x[:n]` and `x[n:]` are apart, `x` and `x[i]` overlap, of
//! `x[i]` and `x[j]` nothing is known. Only what certainly overlaps is ever reported.

use super::program::Program;
use super::symbol::{Symbol, Symbols, Term};
use crate::catalog::{Gives, Sort};
use crate::ir::{Constant, Operator};

/// Every element of a list of buffers.
const EACH: Operator = Operator::Other("each of");

/// A list of indices.
pub(crate) const SELECTION: Operator = Operator::Other("a list of indices");

/// The bounds of a slice.
pub(crate) const SLICE: Operator = Operator::Other("bounds of a slice");

/// A part of a storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) root: Symbol,
    pub(crate) steps: Vec<Narrowing>,
    /// Whether its elements are certainly not next to each other in memory.
    pub(crate) strided: bool,
}

/// A step from a storage, or a part of it, to a part of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Narrowing {
    /// All of it in another shape, by the symbol of the view.
    Shape(Symbol),
    /// Some part, by the symbol that names it.
    Part(Symbol),
    /// The element or row under an index; unknown where the index is.
    Index(Symbol),
    /// The elements between two bounds; the upper one is `None` where there is none.
    Range(Symbol, Symbol),
    /// Each element of a list.
    Each,
}

/// How two regions lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlap {
    Certain,
    Unknown,
    Never,
}

impl Symbols {
    /// The symbol of each element of a list of buffers.
    pub(crate) fn each_of(&mut self, list: Symbol) -> Symbol {
        if list == Symbol::UNKNOWN { list } else { self.intern(Term::Apply(EACH, vec![list])) }
    }

    /// The list of which a symbol names one element after the other.
    pub(crate) fn list_behind(&self, item: Symbol) -> Option<Symbol> {
        match self.term(item) {
            Term::Item(list) => Some(*list),
            _ => None,
        }
    }

    /// The list of which a symbol names each element.
    pub(crate) fn list_of_each(&self, each: Symbol) -> Option<Symbol> {
        match self.term(each) {
            Term::Apply(operator, parts) if *operator == EACH => parts.first().copied(),
            _ => None,
        }
    }

    /// The key of a slice: unlike any other term it is kept where its bounds are not known.
    pub(crate) fn slice(&mut self, lower: Option<Symbol>, upper: Option<Symbol>) -> Symbol {
        let lower = lower.unwrap_or_else(|| self.constant(&Constant::Int(0)));
        let upper = upper.unwrap_or(Symbol::NONE);
        // Better a part with unknown bounds than nothing.
        let known = |bound| if self.is_deep(bound) { Symbol::UNKNOWN } else { bound };
        let (lower, upper) = (known(lower), known(upper));
        self.intern(Term::Apply(SLICE, vec![lower, upper]))
    }

    /// Whether a key is a slice.
    pub(crate) fn is_slice(&self, key: Symbol) -> bool {
        matches!(self.term(key), Term::Apply(operator, _) if *operator == SLICE)
    }
}

impl Program<'_> {
    /// The region that a symbol names, for a sort of data.
    pub(crate) fn region(&self, symbol: Symbol, sort: Option<Sort>) -> Region {
        match self.symbols.term(symbol) {
            Term::Element([_, key]) if self.is_selection(*key) => Region::whole(symbol),
            Term::Element([of, key]) => self.element_region(*of, *key, sort),
            Term::Item(of) => self.region(*of, sort).then(Narrowing::Index(symbol)),
            Term::Apply(operator, parts) if *operator == EACH => {
                self.region(parts[0], sort).then(Narrowing::Each)
            }
            Term::Field(of, name) => match self.catalog.data_attribute(name, sort) {
                Some(used) => self.given_region(symbol, *of, used.gives, sort),
                None => Region::whole(symbol),
            },
            Term::Call(parts) => self.called_region(symbol, parts, sort),
            _ => Region::whole(symbol),
        }
    }

    fn element_region(&self, of: Symbol, key: Symbol, sort: Option<Sort>) -> Region {
        let whole = self.region(of, sort);
        match self.symbols.term(key) {
            Term::Constant(Constant::Other(text)) if text == "..." => whole,
            Term::Apply(operator, bounds) if *operator == SLICE => {
                let from_start = self.symbols.constant_of(bounds[0]) == Some(&Constant::Int(0));
                if from_start && bounds[1] == Symbol::NONE {
                    return whole;
                }
                whole.then(Narrowing::Range(bounds[0], bounds[1]))
            }
            _ => whole.then(Narrowing::Index(key)),
        }
    }

    /// Whether a key selects elements one by one, which copies them: `x[x > 0]`, `x[[0, 2]]`, `x[torch.randperm(n)]`.
    pub(crate) fn is_selection(&self, key: Symbol) -> bool {
        match self.symbols.term(key) {
            Term::Apply(operator, parts) => match operator {
                Operator::Equal
                | Operator::NotEqual
                | Operator::Less
                | Operator::LessEqual
                | Operator::Greater
                | Operator::GreaterEqual => true,
                Operator::Other("~" | "&" | "|") => parts.iter().any(|part| self.is_selection(*part)),
                _ => *operator == SELECTION,
            },
            Term::Call(parts) => parts.first().is_some_and(|callee| {
                self.symbols.path_of(*callee).is_some_and(|path| self.catalog.is_of_data(&path))
            }),
            Term::Result(_) => self.origins.get(&key).is_some_and(|origin| match origin.gives {
                Gives::New | Gives::Copy => true,
                Gives::PerhapsCopy
                | Gives::Nothing
                | Gives::Itself
                | Gives::View
                | Gives::Strided
                | Gives::Part
                | Gives::Parts => false,
            }),
            _ => false,
        }
    }

    fn called_region(&self, symbol: Symbol, parts: &[Symbol], sort: Option<Sort>) -> Region {
        let Some((callee, arguments)) = parts.split_first() else { return Region::whole(symbol) };
        match self.symbols.term(*callee) {
            Term::Field(of, name) => match self.catalog.data_method(name, sort) {
                Some(used) => self.given_region(symbol, *of, used.gives, sort),
                None => Region::whole(symbol),
            },
            Term::Path(path) => match (self.catalog.data_function(path), arguments.first()) {
                (Some(used), Some(first)) => self.given_region(symbol, *first, used.gives, sort),
                _ => Region::whole(symbol),
            },
            _ => Region::whole(symbol),
        }
    }

    fn given_region(&self, symbol: Symbol, of: Symbol, gives: Gives, sort: Option<Sort>) -> Region {
        match gives {
            Gives::Itself => self.region(of, sort),
            Gives::View => self.region(of, sort).then(Narrowing::Shape(symbol)),
            Gives::Strided => {
                Region { strided: true, ..self.region(of, sort).then(Narrowing::Shape(symbol)) }
            }
            Gives::Part | Gives::Parts => self.region(of, sort).then(Narrowing::Part(symbol)),
            Gives::Nothing | Gives::Copy | Gives::PerhapsCopy | Gives::New => Region::whole(symbol),
        }
    }

    /// How two regions lie to each other.
    pub(crate) fn overlap(&self, one: &Region, other: &Region) -> Overlap {
        if one.root != other.root || one.root == Symbol::UNKNOWN || self.alike.contains(&one.root) {
            return Overlap::Unknown;
        }
        let common = one.steps.iter().zip(&other.steps);
        for (at, (a, b)) in common.enumerate() {
            match self.narrowings_overlap(*a, *b) {
                Overlap::Certain => {}
                Overlap::Never => return Overlap::Never,
                Overlap::Unknown => {
                    // All of it in another shape covers whatever the other is.
                    let whole =
                        |steps: &[Narrowing]| steps.iter().all(|step| matches!(step, Narrowing::Shape(_)));
                    let covers = whole(&one.steps[at..]) || whole(&other.steps[at..]);
                    return if covers { Overlap::Certain } else { Overlap::Unknown };
                }
            }
        }
        Overlap::Certain
    }

    fn narrowings_overlap(&self, a: Narrowing, b: Narrowing) -> Overlap {
        match (a, b) {
            (Narrowing::Each, Narrowing::Each | Narrowing::Index(_) | Narrowing::Range(..))
            | (Narrowing::Index(_) | Narrowing::Range(..), Narrowing::Each) => Overlap::Certain,
            (Narrowing::Index(i), Narrowing::Index(j)) => self.indices_overlap(i, j),
            (Narrowing::Range(a, b), Narrowing::Range(c, d)) => self.ranges_overlap([a, b], [c, d]),
            (Narrowing::Index(i), Narrowing::Range(a, b)) | (Narrowing::Range(a, b), Narrowing::Index(i)) => {
                self.is_between(i, [a, b])
            }
            (Narrowing::Shape(a), Narrowing::Shape(b)) | (Narrowing::Part(a), Narrowing::Part(b))
                if a == b =>
            {
                Overlap::Certain
            }
            _ => Overlap::Unknown,
        }
    }

    fn indices_overlap(&self, i: Symbol, j: Symbol) -> Overlap {
        if i == j && i != Symbol::UNKNOWN && !self.mentions_unknown(i) {
            return Overlap::Certain;
        }
        match (self.int(i), self.int(j)) {
            (Some(a), Some(b)) if (a < 0) == (b < 0) => Overlap::Never,
            _ if self.is_shifted(i, j) || self.is_shifted(j, i) => Overlap::Never,
            _ => Overlap::Unknown,
        }
    }

    /// Whether one symbol is the other plus or minus a number: `i + 1` and `i`.
    fn is_shifted(&self, one: Symbol, by: Symbol) -> bool {
        match self.symbols.term(one) {
            Term::Apply(Operator::Other("+" | "-"), parts) => {
                parts.len() == 2 && parts[0] == by && self.int(parts[1]).is_some_and(|n| n != 0)
            }
            _ => false,
        }
    }

    fn ranges_overlap(&self, [a, b]: [Symbol; 2], [c, d]: [Symbol; 2]) -> Overlap {
        if [a, b] == [c, d] && ![a, b].contains(&Symbol::UNKNOWN) {
            return Overlap::Certain;
        }
        let known = |symbol: Symbol| symbol != Symbol::UNKNOWN && symbol != Symbol::NONE;
        if (known(b) && b == c) || (known(d) && d == a) {
            return Overlap::Never;
        }
        // Negative bounds count from an end that is not known.
        let bound = |symbol: Symbol| match symbol {
            Symbol::NONE => Some(i64::MAX),
            _ => self.int(symbol).filter(|n| *n >= 0),
        };
        match (bound(a), bound(b), bound(c), bound(d)) {
            (Some(a), Some(b), Some(c), Some(d)) if a < d && c < b => Overlap::Certain,
            (Some(_), Some(_), Some(_), Some(_)) => Overlap::Never,
            _ => Overlap::Unknown,
        }
    }

    fn is_between(&self, index: Symbol, [a, b]: [Symbol; 2]) -> Overlap {
        let upper = if b == Symbol::NONE { Some(i64::MAX) } else { self.int(b) };
        match (self.int(index), self.int(a), upper) {
            (Some(i), Some(a), Some(b)) if [i, a, b].iter().all(|n| *n >= 0) => {
                if (a..b).contains(&i) {
                    Overlap::Certain
                } else {
                    Overlap::Never
                }
            }
            _ => Overlap::Unknown,
        }
    }

    fn int(&self, symbol: Symbol) -> Option<i64> {
        match self.symbols.constant_of(symbol) {
            Some(Constant::Int(n)) => Some(*n),
            _ => None,
        }
    }

    fn mentions_unknown(&self, symbol: Symbol) -> bool {
        self.symbols.any_part(symbol, &|term| matches!(term, Term::Unknown))
    }

    /// Whether a region can only be a part of an array: `x[a:b]`, a view. `x[i]` may be an element of a list too.
    pub(crate) fn is_of_array(&self, region: &Region, below: usize) -> bool {
        match region.steps.get(below) {
            Some(Narrowing::Index(_) | Narrowing::Each) => false,
            Some(Narrowing::Shape(_) | Narrowing::Part(_) | Narrowing::Range(..)) | None => true,
        }
    }
}

impl Region {
    fn whole(root: Symbol) -> Self {
        Self { root, steps: Vec::new(), strided: false }
    }

    fn then(mut self, step: Narrowing) -> Self {
        if let Narrowing::Index(_) | Narrowing::Part(_) | Narrowing::Range(..) | Narrowing::Each = step {
            self.strided = false;
        }
        self.steps.push(step);
        self
    }
}
