//! Which backend a program runs on, as far as it says so itself.
//!
//! ```text
//! dist.init_process_group("nccl")                         nccl
//! dist.init_process_group(backend=dist.Backend.GLOO)      gloo
//! dist.init_process_group("cpu:gloo,cuda:nccl")           two: it depends on the tensor
//! dist.init_process_group(args.backend)                   unclear
//! ```
//!
//! Where a program names one backend and no other, that is the one in force; otherwise what is configured is.

use std::collections::BTreeSet;

use super::run::Run;
use super::state::State;
use super::symbol::Term;
use super::value::Value;
use crate::ir::Constant;

/// The backends that a program names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    names: BTreeSet<String>,
    unclear: bool,
}

impl Named {
    /// The one backend in force, where it is known.
    pub(crate) fn in_force(&self, configured: Option<String>) -> Option<String> {
        let mut names = self.names.iter();
        match (names.next(), names.next()) {
            (Some(only), None) if !self.unclear => Some(only.clone()),
            (_, _) => configured,
        }
    }

    /// `gloo`, or `cpu:gloo,cuda:nccl` for several kinds of devices.
    fn add(&mut self, text: &str) {
        let names = text.split(',').filter_map(|part| part.rsplit(':').next());
        self.names.extend(names.map(|name| name.trim().to_ascii_lowercase()).filter(|name| !name.is_empty()));
    }
}

impl Run<'_, '_> {
    /// A call names a backend.
    pub(crate) fn note_backend(&mut self, value: &Value) {
        let named = match value {
            Value::Symbol(symbol) => match self.program.symbols.term(*symbol) {
                Term::Constant(Constant::Str(name)) => Some(name.clone()),
                Term::Path(path) => {
                    let last = path.rsplit('.').next().map(str::to_ascii_lowercase);
                    last.filter(|name| self.program.catalog.knows_backend(name))
                }
                _ => None,
            },
            _ => None,
        };
        match named {
            Some(name) => self.program.backends.add(&name),
            None => self.program.backends.unclear = true,
        }
    }
}

impl Run<'_, '_> {
    /// Whether a condition on the way asks which backend it is.
    pub(crate) fn tests_the_backend(&self, state: &State) -> bool {
        let catalog = self.program.catalog;
        let names = |text: &str| catalog.knows_backend(&text.to_ascii_lowercase());
        state.path.iter().any(|decision| {
            self.program.symbols.any_part(decision.condition, &|term| match term {
                Term::Path(path) => path.rsplit('.').next().is_some_and(names),
                Term::Constant(Constant::Str(text)) => names(text),
                _ => false,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Named;

    fn in_force(named: &[&str], configured: Option<&str>) -> Option<String> {
        let mut backends = Named::default();
        named.iter().for_each(|name| backends.add(name));
        backends.in_force(configured.map(str::to_owned))
    }

    #[test]
    fn one_backend_that_the_program_names() {
        assert_eq!(in_force(&["NCCL", "nccl"], Some("gloo")).as_deref(), Some("nccl"));
    }

    #[test]
    fn a_backend_for_each_kind_of_device() {
        assert_eq!(in_force(&["cpu:gloo,cuda:nccl"], None), None);
    }

    #[test]
    fn two_backends_of_which_one_is_configured() {
        assert_eq!(in_force(&["gloo", "nccl"], Some("nccl")).as_deref(), Some("nccl"));
    }

    #[test]
    fn no_backend_that_the_program_names() {
        assert_eq!(in_force(&[], Some("mpi")).as_deref(), Some("mpi"));
    }
}
