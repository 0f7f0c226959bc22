//! The Rust front end: every syntax form of Rust 2024 that `syn` reads, lowered to [`crate::ir`].
//!
//! - A **layer** (`scope`) holds the names of a block; when the block ends its variables give up what they hold, in reverse order.
//! - A **temporary** holds an intermediate value until its **statement** ends. `let _ = peer.immediate_send(scope, &x);` is
//!
//!   ```text
//!   %0 = call peer.immediate_send(scope, x)
//!   forget %0 (statement)
//!   ```
//!
//!   while `let _later = …` forgets at the end of the block.
//! - A **wrapper** (`call`) is passed through: `Some(r)`, `Ok(r)`, `Box::new(r)`, `&mut r`, `r?`, `r.unwrap()` are `r`. `None` and `Err(…)` are
//!   [`Constant::None`], so `if let Some(r)`, `match`, `?` and `is_ok()` are tests for it.
//! - A **frame** (`exits`) is what a `break`, `continue`, `return` or `?` leaves: a loop, a labelled block, the body of a closure
//!   that is lowered where it stands.
//! - A closure runs **inline** (`closure`) where the function that takes it runs it once and at once: the adaptors of iterators, which
//!   become loops (`chain`), those of `Option`, and what the catalogue says of others (`mpi::request::scope`). Any other closure is a function
//!   of its own.
//!
//! What `syn` cannot read is a [`Problem`] at its place, and nothing else of the file is known. Spans are turned into numbers while
//! the tree is there; the source map of the thread is emptied behind each file.

mod assignment;
mod attribute;
mod call;
mod chain;
mod closure;
mod condition;
mod exits;
mod expression;
mod item;
mod loops;
mod macros;
mod method;
mod names;
mod pattern;
mod place;
mod prepare;
mod scope;
mod statement;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::catalog::{Catalog, TypeId};
use crate::frontend::{Lowered, Problem};
use crate::ir::{Class, ClassId, Constant, Function, FunctionBuilder, FunctionId, Operand, Unit};
use crate::source::{Language, Span};

use names::Names;
use place::Places;
use scope::Scope;

/// The operator that gives what is in `Err(…)`.
const ERROR: &str = "error";

/// How many levels of expressions and statements are followed.
const DEPTH_LIMIT: u32 = 500;
/// How many functions may be nested, and how many loops.
const NESTING_LIMIT: usize = 100;
/// The stack that parsing, lowering and dropping a tree may need, and the stack that is taken if there is less.
const STACK_NEEDED: usize = 100 << 20;
const STACK_TAKEN: usize = 192 << 20;

/// Lowers the text of a Rust file. Never fails: what could not be read is among the problems.
///
/// It takes a stack of its own where the caller's is too small.
pub fn lower(text: &str, catalog: &Catalog) -> Lowered {
    if u32::try_from(text.len()).is_err() {
        return unread("the file is larger than 4 GiB", Span::default());
    }
    if let Some(at) = prepare::too_deep(text) {
        return unread("nested too deeply", at);
    }
    let lowered = stacker::maybe_grow(STACK_NEEDED, STACK_TAKEN, || parse_and_lower(text, catalog));
    // Nothing that holds a span of this file is left.
    proc_macro2::extra::invalidate_current_thread_spans();
    lowered
}

fn parse_and_lower(text: &str, catalog: &Catalog) -> Lowered {
    let code = prepare::blanked(text);
    match syn::parse_str::<syn::File>(&code) {
        Ok(file) => {
            let names = Names::of(&file.items);
            let mut lowering = Lowering::new(text, catalog, names);
            lowering.file(&file);
            lowering.finish()
        }
        Err(error) => {
            let at = error.span().byte_range();
            let start = text.floor_char_boundary(at.start);
            let next = text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            let end = at.end.min(text.len()).max(start + next);
            unread(&message_of(&error), Span::new(start as u32, end as u32))
        }
    }
}

/// What the parser says, as a clause.
fn message_of(error: &syn::Error) -> String {
    let mut message = error.to_string();
    if message.starts_with("cannot parse string into token stream") || message == "lex error" {
        return "this is no word or sign of Rust".to_owned();
    }
    if let Some(first) = message.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    message
}

/// A file of which nothing is known but why.
fn unread(message: &str, span: Span) -> Lowered {
    let unit = Unit {
        language: Language::Rust,
        functions: vec![FunctionBuilder::new("<module>").finish(Span::default())],
        classes: Vec::new(),
        globals: BTreeMap::new(),
        imports: BTreeSet::new(),
        names_read: BTreeSet::new(),
    };
    Lowered { unit, problems: vec![Problem { span, message: message.to_owned() }] }
}

/// `()`, which is not [`Constant::None`]: `Ok(())` is a success.
fn unit_value() -> Operand {
    Operand::Constant(Constant::Other("()".to_owned()))
}

/// `None`, `Err(…)`.
fn nothing() -> Operand {
    Operand::Constant(Constant::None)
}

/// A file being lowered.
struct Lowering<'t> {
    text: &'t str,
    catalog: &'t Catalog,
    names: Names,
    places: Places,
    functions: Vec<Function>,
    classes: Vec<Class>,
    /// The functions of the file's modules, by their qualified names.
    defined: HashMap<String, FunctionId>,
    names_read: BTreeSet<String>,
    problems: Vec<Problem>,
    scopes: Vec<Scope>,
    /// The modules of the file around the current item.
    module: Vec<String>,
    /// What `Self` stands for.
    class: Option<ClassId>,
    depth: u32,
    /// The parameter of an inlined closure that holds a container of a library.
    awaited_collection: Option<(String, TypeId)>,
}

impl<'t> Lowering<'t> {
    fn new(text: &'t str, catalog: &'t Catalog, names: Names) -> Self {
        let classes = names.reserved_classes();
        Self {
            text,
            catalog,
            names,
            places: Places,
            functions: Vec::new(),
            classes,
            defined: HashMap::new(),
            names_read: BTreeSet::new(),
            problems: Vec::new(),
            scopes: Vec::new(),
            module: Vec::new(),
            class: None,
            depth: 0,
            awaited_collection: None,
        }
    }

    fn finish(self) -> Lowered {
        let mut problems = self.problems;
        problems.sort_by_key(|it| it.span);
        let unit = Unit {
            language: Language::Rust,
            functions: self.functions,
            classes: self.classes,
            globals: self.names.resolved(&self.defined),
            imports: self.names.imported().clone(),
            names_read: self.names_read,
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
