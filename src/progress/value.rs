//! What a local holds while one rank runs through a function.
//!
//! ```text
//! rank = dist.get_rank()          Ranked(1)        a number that depends on the rank
//! peer = (rank + 1) % 4           Ranked(2)
//! x = torch.cat(parts)            Unknown(t7)      the same unknown on every rank
//! req = dist.isend(x, peer)       Handle [#0]
//! ```
//!
//! A **term** names something that is not known: a parameter, an attribute, the result of a call, an expression of these.
//! Two ranks that come by the same way to the same place have the same term. A term is **local** where its nature makes it
//! differ between ranks: how many elements a mask selects, the clock.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use super::frame::Frame;
use crate::catalog::TypeId;
use crate::ir::{ClassId, Constant, ContainerKind, FunctionId};
use crate::source::Span;

/// Names something that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term(pub(super) u32);

/// A place of the program, with the calls that lead to it.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) function: FunctionId,
    pub(super) span: Span,
    pub(super) caller: Option<Rc<Site>>,
    /// Tells most sites apart at once.
    sign: u64,
}

impl PartialEq for Site {
    fn eq(&self, other: &Self) -> bool {
        let same_caller = || match (&self.caller, &other.caller) {
            (None, None) => true,
            (Some(one), Some(two)) => Rc::ptr_eq(one, two) || one == two,
            (None, Some(_)) | (Some(_), None) => false,
        };
        self.sign == other.sign && self.span == other.span && self.function == other.function && same_caller()
    }
}

impl Eq for Site {}

impl Hash for Site {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sign.hash(state);
    }
}

impl Site {
    pub(super) fn new(function: FunctionId, span: Span, caller: Option<Rc<Site>>) -> Site {
        let above = caller.as_ref().map_or(0, |it| it.sign);
        let here =
            (u64::from(function.0) << 32 | u64::from(span.start)).wrapping_add(u64::from(span.end) << 20);
        let sign = (above.rotate_left(5) ^ here).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Site { function, span, caller, sign }
    }

    /// The places from the outermost call to this one.
    pub(super) fn chain(self: &Rc<Self>) -> Vec<Rc<Site>> {
        let mut chain: Vec<Rc<Site>> =
            std::iter::successors(Some(Rc::clone(self)), |site| site.caller.clone()).collect();
        chain.reverse();
        chain
    }
}

/// A group of ranks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Group {
    /// All ranks that are looked at.
    World,
    /// These ranks.
    Some(Rc<[usize]>),
    /// A group of which nothing is known.
    Unknown(Term),
}

/// What is known of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// How many elements it has.
    pub(super) elements: u64,
    /// What they are.
    pub(super) element: crate::runtime::Element,
}

/// A function with what it takes along.
#[derive(Debug)]
pub(super) struct Closure {
    pub(super) function: FunctionId,
    /// The locals of the function around it.
    pub(super) around: Option<Locals>,
    /// The receiver, and arguments that are bound already.
    pub(super) bound: Vec<Value>,
}

/// The locals of a frame.
pub(super) type Locals = Rc<RefCell<Vec<Value>>>;

/// An object of a class of the file.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) class: Option<ClassId>,
    pub(super) fields: RefCell<BTreeMap<String, Value>>,
    pub(super) term: Term,
}

/// A container.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) kind: ContainerKind,
    pub(super) items: Vec<(Option<Constant>, Value)>,
    /// Whether it may hold more, or less, than is known.
    pub(super) open: bool,
    /// Whether its order differs between ranks.
    pub(super) unordered: bool,
    pub(super) term: Term,
}

/// An operation that is built and not yet started.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) sends: bool,
    pub(super) peer: Value,
    pub(super) tag: Value,
    pub(super) group: Group,
    pub(super) extent: Option<Extent>,
}

/// What a local holds.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Constant(Constant),
    /// A number that depends on the rank.
    Ranked(i64),
    Unknown(Term),
    /// A module, a function or a value of a library, by its dotted path.
    Path(Rc<str>),
    Function(Rc<Closure>),
    Class(ClassId),
    Instance(Rc<Instance>),
    Container(Rc<RefCell<Container>>),
    /// Operations in flight, by their places in the script.
    Handle {
        posts: Rc<[usize]>,
        class: Option<TypeId>,
    },
    Built(Rc<Built>),
    /// A buffer.
    Tensor {
        extent: Extent,
        term: Term,
    },
    Group(Group),
    /// A method of a library's object that is not called yet.
    Method {
        receiver: Box<Value>,
        name: Rc<str>,
    },
    Generator(Rc<RefCell<Frame>>),
    /// What is left of an iteration, and whether its order differs between ranks.
    Iterator(Rc<RefCell<Remaining>>),
}

/// What is left of an iteration.
#[derive(Debug)]
pub(super) struct Remaining {
    pub(super) items: std::collections::VecDeque<Value>,
    /// Another turn may come behind what is known: the term that decides.
    pub(super) more: Option<Term>,
    pub(super) turns: u32,
    /// The source of a loop whose order differs between ranks.
    pub(super) unordered: bool,
    pub(super) generator: Option<Rc<RefCell<Frame>>>,
}

impl Value {
    pub(super) const NONE: Value = Value::Constant(Constant::None);

    pub(super) fn int(value: i64) -> Value {
        Value::Constant(Constant::Int(value))
    }

    pub(super) fn bool(value: bool) -> Value {
        Value::Constant(Constant::Bool(value))
    }

    /// The number, where it is one.
    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Value::Constant(Constant::Int(value)) | Value::Ranked(value) => Some(*value),
            Value::Constant(Constant::Bool(value)) => Some(i64::from(*value)),
            _ => None,
        }
    }
}

/// What a term is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Named(Rc<str>),
    Field(Term, Rc<str>),
    /// The result at a place, the n-th time there.
    Result(Rc<Site>, u32),
    Apply(Rc<str>, Vec<Atom>),
}

/// A part of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    Term(Term),
    Constant(Constant),
    /// A number that depends on the rank.
    Ranked(i64),
    Path(Rc<str>),
    /// Something without an identity of its own.
    Other,
}

/// What is known of a term.
#[derive(Clone, Debug, Default)]
pub(super) struct Nature {
    /// The last name of the expression.
    pub(super) name: Rc<str>,
    /// Where it became something that differs between ranks.
    pub(super) local: Option<Span>,
    /// It depends on the number of the rank in a way that is not known, or in a group that is not looked at.
    pub(super) varies: bool,
    /// It is a text, whose hash differs between processes.
    pub(super) text: bool,
    /// Only functions that do not communicate made it.
    pub(super) quiet: bool,
}

/// All terms of an analysis.
#[derive(Debug, Default)]
pub(super) struct Terms {
    known: HashMap<Shape, Term>,
    natures: Vec<Nature>,
    shapes: Vec<Shape>,
}

impl Terms {
    /// The term of a shape.
    pub(super) fn intern(&mut self, shape: Shape, nature: Nature) -> Term {
        if let Some(term) = self.known.get(&shape) {
            return *term;
        }
        let term = Term(self.natures.len() as u32);
        self.natures.push(nature);
        self.shapes.push(shape.clone());
        self.known.insert(shape, term);
        term
    }

    pub(super) fn nature(&self, term: Term) -> &Nature {
        &self.natures[term.0 as usize]
    }

    pub(super) fn shape(&self, term: Term) -> &Shape {
        &self.shapes[term.0 as usize]
    }

    pub(super) fn make_text(&mut self, term: Term) {
        self.natures[term.0 as usize].text = true;
    }

    pub(super) fn make_local(&mut self, term: Term, at: Span) {
        self.natures[term.0 as usize].local.get_or_insert(at);
    }
}
