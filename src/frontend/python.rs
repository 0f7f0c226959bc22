//! The Python front end: every syntax form of Python 3.8 to 3.14, lowered to [`crate::ir`].
//!
//! - A **scope** is a function under construction (`scope`); a class body runs in the scope around it.
//! - A **temporary** holds an intermediate value until its **statement** ends; then it is forgotten. `dist.isend(x)` is
//!
//!   ```text
//!   %0 = global dist
//!   %1 = call %0.isend(x)
//!   forget %0 (statement)
//!   forget %1 (statement)
//!   ```
//!
//! - A **condition** (`condition`) is a tree of `and`, `or`, `not` whose leaves, the **atoms**, are branched on one by one.
//! - A **frame** (`exits`) is a construct around the current statement that a `return`, `break`, `continue` or `raise` has to pass:
//!   a loop, a `with`, a `finally`, the handlers of a `try`. Each exit gets its own copy of what happens on the way out.
//!
//! How the hard constructs are lowered is said where they are: `finally` in `exits`, `try` and `with` in `guarded`, comprehensions and
//! generator expressions in `comprehension`, `match` in `pattern`, imports and names of the top level in `globals`.
//!
//! The parser recovers from errors: what it could not read becomes a `Problem`, everything else is lowered.
//! Code that is nested deeper than `DEPTH_LIMIT` becomes a problem and a value of which nothing is known.

mod annotation;
mod assignment;
mod call;
mod class;
mod comprehension;
mod condition;
mod decorator;
mod exits;
mod expression;
mod function;
mod globals;
mod guarded;
mod import;
mod imports;
mod pattern;
mod scan;
mod scope;
mod statement;

use std::collections::{BTreeSet, HashMap};

use ruff_python_ast::{ModModule, PySourceType};
use ruff_python_parser::{Parsed, parse_unchecked_source};
use ruff_text_size::{Ranged, TextRange};

use crate::frontend::{Lowered, ModuleName, Problem};
use crate::ir::{Class, ClassId, Function, FunctionId, Unit};
use crate::source::{Language, Span};

pub use imports::imports;

use globals::Globals;
use scan::Scan;
use scope::Scope;

/// How many levels of expressions and statements are followed.
const DEPTH_LIMIT: u32 = 1000;
/// How many functions may be nested, and how many loops; Python itself allows 100 and 20.
const NESTING_LIMIT: usize = 100;
/// How long a chain of binary operators may be for the tree to be dropped.
const CHAIN_LIMIT: usize = 10_000;
/// The stack that lowering and dropping a tree of [`DEPTH_LIMIT`] may need, and the stack that is taken if there is less.
const STACK_NEEDED: usize = 24 << 20;
const STACK_TAKEN: usize = 32 << 20;

/// Lowers the text of a Python file. Never fails: what could not be read is among the problems.
///
/// It takes a stack of its own where the caller's is too small.
pub fn lower(text: &str, module: &ModuleName) -> Lowered {
    if u32::try_from(text.len()).is_err() {
        let message = "the file is larger than 4 GiB".to_owned();
        return Lowered { unit: empty(), problems: vec![Problem { span: Span::default(), message }] };
    }
    stacker::maybe_grow(STACK_NEEDED, STACK_TAKEN, || {
        let parsed = parse_unchecked_source(text, PySourceType::Python);
        let (lowered, too_deep) = lower_tree(text, module, &parsed);
        if too_deep {
            // Dropping a tree is recursive: one that is nested without bounds is better lost than an overflow.
            std::mem::forget(parsed);
        }
        lowered
    })
}

fn lower_tree(text: &str, module: &ModuleName, parsed: &Parsed<ModModule>) -> (Lowered, bool) {
    let body = &parsed.syntax().body;
    let scan = Scan::of(body);
    let too_deep = scan.too_deep;
    let globals = Globals::of(body, module, &scan.declared_global);
    let mut lowering = Lowering::new(text, module, scan, globals);
    lowering.problems.extend(parsed.errors().iter().map(|error| {
        let mut message = error.error.to_string();
        if let Some(first) = message.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        Problem { span: span(error.location), message }
    }));
    lowering.top_level(body);
    (lowering.finish(), too_deep)
}

fn empty() -> Unit {
    Unit {
        language: Language::Python,
        functions: vec![crate::ir::FunctionBuilder::new("<module>").finish(Span::default())],
        classes: Vec::new(),
        globals: Default::default(),
        imports: BTreeSet::new(),
        stars: BTreeSet::new(),
        names_read: BTreeSet::new(),
    }
}

/// A file being lowered.
struct Lowering<'a> {
    text: &'a str,
    module: &'a ModuleName,
    scan: Scan<'a>,
    globals: Globals<'a>,
    functions: Vec<Function>,
    classes: Vec<Class>,
    /// The functions that were lowered already, by their place: a copy of a `finally` body defines them again.
    defined: HashMap<TextRange, FunctionId>,
    /// The classes inside functions, by their place.
    inner_classes: HashMap<TextRange, ClassId>,
    imports: BTreeSet<String>,
    stars: BTreeSet<String>,
    names_read: BTreeSet<String>,
    problems: Vec<Problem>,
    scopes: Vec<Scope<'a>>,
    depth: u32,
    /// How much code may still be copied onto ways out.
    copies_left: usize,
}

impl<'a> Lowering<'a> {
    fn new(text: &'a str, module: &'a ModuleName, scan: Scan<'a>, globals: Globals<'a>) -> Self {
        let classes = globals.reserved_classes();
        Self {
            text,
            module,
            scan,
            globals,
            functions: Vec::new(),
            classes,
            defined: HashMap::new(),
            inner_classes: HashMap::new(),
            imports: BTreeSet::new(),
            stars: BTreeSet::new(),
            names_read: BTreeSet::new(),
            problems: Vec::new(),
            scopes: Vec::new(),
            depth: 0,
            copies_left: 16 * text.len() + 100_000,
        }
    }

    fn finish(self) -> Lowered {
        let mut names_read = self.names_read;
        names_read.extend(self.scan.attributes_read.iter().map(|it| (*it).to_owned()));
        let mut imports = self.imports;
        imports.extend(self.globals.imported().map(str::to_owned));
        let mut problems = self.problems;
        problems.sort_by_key(|it| it.span);
        let globals = self.globals.resolved(&self.defined);
        let unit = Unit {
            language: Language::Python,
            functions: self.functions,
            classes: self.classes,
            globals,
            imports,
            stars: self.stars,
            names_read,
        };
        Lowered { unit, problems }
    }

    fn problem(&mut self, span: Span, message: &str) {
        self.problems.push(Problem { span, message: message.to_owned() });
    }

    /// Runs `inner` one level deeper, or gives `None` and notes a problem where that is too deep.
    fn deeper<T>(&mut self, at: Span, inner: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH_LIMIT {
            self.problem(at, "nested too deeply");
            return None;
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        Some(result)
    }
}

fn span(range: TextRange) -> Span {
    Span::new(range.start().to_u32(), range.end().to_u32())
}

fn span_of(node: &impl Ranged) -> Span {
    span(node.range())
}
