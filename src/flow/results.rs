//! What a poll gives in Rust: a `Result` that holds the handle again where the operation is not finished.
//!
//! ```text
//! match r.test() {
//!     Ok(status) => …        the poll's test is true: something, and the handle is finished
//!     Err(r) => …            it is false: what is in `Err` is the handle
//! }
//! ```
//!
//! A C library writes the flag behind a pointer: `flag != 0` is the test.

use super::run::Run;
use super::state::State;
use super::value::{Test, Value};
use crate::ir::{Constant, Operator};
use crate::source::Language;

/// The operator by which the front end asks for what is in `Err(…)`.
const ERROR: Operator = Operator::Other("error");

impl Run<'_, '_> {
    /// An operator on the test of a poll; `None` where it is none of these.
    pub(crate) fn on_poll(&self, operator: &Operator, values: &[Value]) -> Option<Value> {
        match (operator, values) {
            (operator, [Value::Test(test)]) if *operator == ERROR => match &**test {
                Test::Finished(target, _) => Some(target.clone()),
                _ => None,
            },
            (operator, [value @ Value::Object(_)]) if *operator == ERROR => Some(value.clone()),
            (Operator::NotEqual | Operator::Greater, [flag @ Value::Test(_), Value::Symbol(symbol)]) => {
                self.is_zero(*symbol).then(|| flag.clone())
            }
            (Operator::Equal, [flag @ Value::Test(_), Value::Symbol(symbol)]) => {
                self.is_zero(*symbol).then(|| Value::Test(Test::Not(flag.clone()).into()))
            }
            _ => None,
        }
    }

    fn is_zero(&self, symbol: super::symbol::Symbol) -> bool {
        self.program.symbols.constant_of(symbol) == Some(&Constant::Int(0))
    }

    /// Whether a poll gave nothing: it said that the operation is not finished. In Python a flag is never `None`.
    pub(crate) fn assume_nothing_from_poll(&mut self, state: State, flag: &Value, truth: bool) -> Vec<State> {
        match self.program.unit.language {
            Language::Rust => self.assume(state, flag, !truth),
            Language::Python if truth => Vec::new(),
            Language::Python => vec![state],
        }
    }
}
