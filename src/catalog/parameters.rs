//! How the arguments of a call reach the parameters of a catalogued function.
//!
//! ```text
//! parameters = ["tensor", "dst", "*", "tag"]      isend(t, 1, tag=5)
//! position 0 → tensor, 1 → dst;  tag only by name
//!
//! parameters = ["*iterables", "strict"]           zip(a, b, strict=True)
//! position 0, 1, 2, … → iterables;  strict only by name
//! ```
//!
//! For a method called in class form (`MPI.Request.Wait(request)`) the caller takes the receiver off the arguments first,
//! unless the method is [`Function::of_class`]. Where `on`, or another key that names an argument, says `self`, it means that
//! receiver.

use super::schema::Function;

/// The name by which an entry refers to the receiver of a method.
pub(super) const RECEIVER: &str = "self";

impl Function {
    /// The names of the parameters in order, markers and stars taken off.
    pub fn parameter_names(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(|it| it.trim_start_matches('*')).filter(|name| !name.is_empty())
    }

    /// Where a parameter stands among [`Function::parameter_names`].
    pub fn parameter_index(&self, name: &str) -> Option<usize> {
        self.parameter_names().position(|it| it == name)
    }

    /// The parameter that a positional argument reaches.
    pub fn parameter_at(&self, position: usize) -> Option<&str> {
        for (index, parameter) in self.parameters.iter().enumerate() {
            match parameter.strip_prefix('*') {
                Some("") => return None,
                Some(rest) if !rest.starts_with('*') => return Some(rest),
                Some(_) => return None,
                None if index == position => return Some(parameter),
                None => {}
            }
        }
        None
    }

    /// The position at which a parameter can be given, if it can be given so.
    pub fn position(&self, name: &str) -> Option<usize> {
        let index = self.parameters.iter().position(|parameter| parameter == name)?;
        (self.parameter_at(index) == Some(name)).then_some(index)
    }
}
