//! The small language-neutral form of a program that the analysis reads.
//!
//! A **unit** is one lowered file. It holds **functions**, the first of which is the file's own top level, and **classes**.
//! A function is a control-flow graph of **blocks**; a block is a list of **operations** on **locals** and ends in a
//! **terminator**. The form is three-address code: every operand of an operation is a local or a constant, so
//! `self.reqs[-1].wait()` is four operations:
//!
//! ```text
//! t0 = field   self .reqs
//! t1 = element t0 [-1]
//! t2 = call    t1 .wait()
//!      forget  t2 (statement ends)
//! ```
//!
//! There is no syntax of any language in here: `with`, `try`, comprehensions, `match`, `?` and friends are lowered to
//! blocks, and methods of the language's own containers arrive with their meaning ([`Meaning`]) beside their name.
//!
//! Operations come in two kinds. The **primitive** ones say directly what happens to handles and buffers
//! ([`Operation::Start`], [`Operation::Finish`], [`Operation::Push`], …). A [`Operation::Call`] is **late bound**: what it does
//! depends on what its callee is at that point (a catalogued function, a function of the tree, a method of whatever the
//! receiver holds), and the analysis expands it into the same primitives.

mod build;
mod check;
mod operation;
mod print;
mod simplify;

pub use build::FunctionBuilder;
pub use operation::{
    Access, Argument, Callee, Constant, ContainerKind, Forgetting, Item, Key, Meaning, Op, Operand,
    Operation, Operator, Passing, Place, Usage, Which,
};

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Language, Span};

/// An index into [`Unit::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// An index into [`Unit::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClassId(pub u32);

/// An index into [`Function::locals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Local(pub u32);

/// An index into [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// One file, lowered.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The language it was written in, for messages.
    pub language: Language,
    /// The functions; the first is the top level of the file.
    pub functions: Vec<Function>,
    /// The classes.
    pub classes: Vec<Class>,
    /// What each name of the file's top level stands for.
    pub globals: BTreeMap<String, Global>,
    /// Absolute dotted names of everything that the file imports, as evidence for untyped receivers.
    pub imports: BTreeSet<String>,
    /// Absolute dotted names of the modules of which it imports every name.
    pub stars: BTreeSet<String>,
    /// Every name that the file reads as an attribute or global (`x.name`, `getattr(x, "name")`, `name`).
    pub names_read: BTreeSet<String>,
}

impl Unit {
    /// The function behind an id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// The class behind an id.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.0 as usize]
    }

    /// The ids of all functions, the top level first.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.len() as u32).map(FunctionId)
    }
}

/// What a name at the top level of a file stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Global {
    /// `import torch.distributed as dist`, `from mpi4py import MPI`: the absolute dotted path.
    Import(String),
    /// `def f(): …`, defined once.
    Function(FunctionId),
    /// `class C: …`, defined once.
    Class(ClassId),
    /// Assigned exactly once, at the top level: `comm = MPI.COMM_WORLD`. Its value is what the top level computes.
    Once,
    /// Bound more than once, or in ways that the front end does not follow.
    Several,
}

/// A class of the file.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Where the name stands in its definition.
    pub span: Span,
    /// Its base classes: `class Check(Base)`, `class Sender(nn.Module)`.
    pub bases: Vec<TypeRef>,
    /// Its methods by name, own ones only. A name defined twice is absent.
    pub methods: BTreeMap<String, FunctionId>,
    /// Names of all attributes that the body defines, methods included.
    pub members: BTreeSet<String>,
    /// The fields of a record (`@dataclass`, `NamedTuple`), in the order of its constructor's parameters.
    pub record_fields: Option<Vec<String>>,
}

/// A type named in an annotation, a base list or a constructor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeRef {
    /// A class of the same file.
    Class(ClassId),
    /// An imported name: `mpi4py.MPI.Comm`.
    Path(String),
    /// Anything else.
    Unknown,
}

/// A function, method, lambda, generator expression, or the top level of a file.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its qualified name: `Sender.push`, `average.flush`, `<lambda>`; `<module>` for the top level.
    pub name: String,
    /// Where its name stands (for a lambda: the whole of it; for the top level: empty).
    pub span: Span,
    /// What sort of function it is.
    pub kind: FunctionKind,
    /// How a call of it behaves.
    pub flavour: Flavour,
    /// The class whose method it is.
    pub class: Option<ClassId>,
    /// The function in whose body it is defined.
    pub parent: Option<FunctionId>,
    /// Its parameters; for a method the receiver comes first.
    pub parameters: Vec<Parameter>,
    /// Its variables and temporaries.
    pub locals: Vec<LocalInfo>,
    /// Variables of enclosing functions that it uses: (the name here, the name in `parent`).
    pub captures: Vec<(Local, Local)>,
    /// Its blocks; the first is the entry.
    pub blocks: Vec<Block>,
    /// Its loops, outer before inner.
    pub loops: Vec<Loop>,
    /// Whether a decorator may replace what a caller gets: then callers know nothing of it.
    pub opaque: bool,
}

/// What sort of function a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// The statements of a file outside any function.
    TopLevel,
    /// A plain function, nested ones included.
    Plain,
    /// A method with a receiver.
    Method,
    /// A method without a receiver (`@staticmethod`).
    Static,
    /// A method whose receiver is the class (`@classmethod`).
    ClassMethod,
    /// A method that is called by reading the attribute (`@property`).
    Property,
    /// A lambda.
    Lambda,
}

/// How a call of a function behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// The body runs at the call.
    Plain,
    /// The call gives a generator; the body runs as it is iterated.
    Generator,
    /// The call gives a coroutine; the body runs when it is awaited.
    Coroutine,
    /// A generator that `@contextmanager` turned into the manager of a `with` block.
    Manager,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The local that holds it.
    pub local: Local,
    /// Its name.
    pub name: String,
    /// How arguments reach it.
    pub kind: ParameterKind,
    /// Its default, where it has one.
    pub default: Option<DefaultValue>,
    /// Its annotated type.
    pub annotation: TypeRef,
}

/// How arguments reach a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterKind {
    /// By position or by name.
    Plain,
    /// By name only.
    KeywordOnly,
    /// `*args`.
    RestPositional,
    /// `**kwargs`.
    RestKeyword,
}

/// The default of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultValue {
    /// A constant.
    Constant(Constant),
    /// Anything else.
    Computed,
}

/// What is known of a local.
#[derive(Clone, Debug)]
pub struct LocalInfo {
    /// Its name; empty for a temporary.
    pub name: String,
    /// How often the function reads it.
    pub reads: u32,
    /// Whether a nested function uses it.
    pub captured: bool,
}

/// A loop: every block inside is part of it, those of inner loops included.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The block that decides on another turn.
    pub head: BlockId,
    /// The blocks of the loop, the head included.
    pub blocks: BTreeSet<BlockId>,
    /// The span of the loop's header, for labels.
    pub span: Span,
}

/// A straight run of operations.
#[derive(Clone, Debug)]
pub struct Block {
    /// What happens, in order.
    pub ops: Vec<Op>,
    /// How it goes on.
    pub end: Terminator,
}

/// How a block goes on.
#[derive(Clone, Debug)]
pub enum Terminator {
    /// To one other block.
    Goto(BlockId),
    /// `if on`: by the truth of an operand.
    Branch {
        /// What is tested.
        on: Operand,
        /// Where it goes if it is true.
        yes: BlockId,
        /// Where it goes if it is false.
        no: BlockId,
        /// The source of the condition.
        span: Span,
        /// Whether this is the head of a `while` loop.
        repeats: bool,
    },
    /// The head of a `for` loop: the next element, or the end.
    Next {
        /// What [`Operation::Iterate`] gave.
        iterator: Local,
        /// Where the element goes.
        item: Local,
        /// The body.
        body: BlockId,
        /// Behind the loop.
        done: BlockId,
        /// The source of the header.
        span: Span,
    },
    /// To any one of several blocks: into a `try`'s body or its handlers, the arms of a `match` on something unknown.
    Choose(Vec<BlockId>),
    /// The function ends with a value.
    Return {
        /// The value.
        value: Operand,
        /// The `return` statement, or the end of the function.
        span: Span,
    },
    /// The function is left by an exception, or the program ends: nothing is reported on this way.
    Raise,
}
