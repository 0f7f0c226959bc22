//! Macros: those of the standard library by what they do, any other by its arguments.
//!
//! Arguments that parse as expressions are evaluated. What an unknown macro does with them is not known, so they escape; where they
//! do not parse, every variable that is named in them does.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Pat, Token};

use super::condition::Targets;
use super::{Lowering, nothing, unit_value};
use crate::ir::{Access, ContainerKind, Item, Operand, Operation, Operator};
use crate::source::Span;

impl Lowering<'_> {
    /// The value of a macro.
    pub(super) fn macro_value(&mut self, call: &Macro) -> Operand {
        let span = self.span_of_macro(call);
        match self.deeper(span, |it| it.expand(call, span)) {
            Some(value) => value,
            None => self.unknown("too deep", Vec::new(), span),
        }
    }

    fn expand(&mut self, call: &Macro, span: Span) -> Operand {
        let name = call.path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default();
        match name.as_str() {
            "vec" | "smallvec" => self.list(call, span),
            "cfg" => self.configuration(call.tokens.to_string(), span),
            "matches" => self.matches_macro(call, span),
            "assert" | "debug_assert" | "ensure" => self.assertion(call, &name, span),
            "assert_eq" | "debug_assert_eq" => self.comparison(call, Operator::Equal, span),
            "assert_ne" | "debug_assert_ne" => self.comparison(call, Operator::NotEqual, span),
            "panic" | "unreachable" | "todo" | "unimplemented" | "compile_error" => {
                self.read_arguments(call, span);
                self.panic();
                unit_value()
            }
            "bail" => {
                self.read_arguments(call, span);
                self.leave_function(nothing(), span);
                unit_value()
            }
            "try" => match parsed(call).as_deref() {
                Some([value]) => {
                    let value = self.expression(value);
                    self.try_expression(value, span)
                }
                _ => self.unknown_macro(call, span),
            },
            "dbg" => match parsed(call).as_deref() {
                Some([value]) => self.expression(value),
                _ => self.unknown_macro(call, span),
            },
            "addr_of" | "addr_of_mut" => match parsed(call).as_deref() {
                Some([place]) => self.expression(place),
                _ => self.unknown_macro(call, span),
            },
            "println" | "print" | "eprintln" | "eprint" | "format" | "write" | "writeln" | "format_args" => {
                self.read_arguments(call, span);
                self.unknown("text", Vec::new(), span)
            }
            "trace" | "debug" | "info" | "warn" | "error" | "log" => {
                self.read_arguments(call, span);
                unit_value()
            }
            "concat" | "stringify" | "line" | "file" | "column" | "env" | "option_env" | "include_str"
            | "include_bytes" | "module_path" => self.unknown("constant", Vec::new(), span),
            _ => self.unknown_macro(call, span),
        }
    }

    /// `vec![a, b]`, `vec![a; n]`.
    fn list(&mut self, call: &Macro, span: Span) -> Operand {
        if let Some(elements) = parsed(call) {
            if !elements.is_empty() && elements.iter().all(super::expression::is_number) {
                return self.buffer(span);
            }
            let items = elements.iter().map(|it| Item::One(self.expression(it))).collect();
            return self.collect(ContainerKind::List, items, span);
        }
        let repeat = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![;]>()?;
            Ok((value, input.parse::<Expr>()?))
        };
        match repeat.parse2(call.tokens.clone()) {
            Ok((value, count)) => self.repeated(&value, &count, span),
            Err(_) => self.unknown_macro(call, span),
        }
    }

    fn matches_macro(&mut self, call: &Macro, span: Span) -> Operand {
        let parse = |input: syn::parse::ParseStream<'_>| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pattern = Pat::parse_multi_with_leading_vert(input)?;
            let guard = match input.parse::<Option<Token![if]>>()? {
                Some(_) => Some(input.parse::<Expr>()?),
                None => None,
            };
            input.parse::<Option<Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        match parse.parse2(call.tokens.clone()) {
            Ok((value, pattern, None)) => self.matches_value(&value, &pattern, span),
            _ => self.unknown_macro(call, span),
        }
    }

    /// `assert!(condition, …)`; `ensure!` leaves the function where the condition fails.
    fn assertion(&mut self, call: &Macro, name: &str, span: Span) -> Operand {
        let Some(arguments) = parsed(call) else { return self.unknown_macro(call, span) };
        let Some((condition, message)) = arguments.split_first() else { return unit_value() };
        let (yes, no) = (self.block(), self.block());
        self.test_to(condition, Targets { yes, no, repeats: false });
        self.switch_to(no);
        let mark = self.mark();
        message.iter().for_each(|it| _ = self.expression(it));
        self.forget_since(mark);
        if name == "ensure" {
            self.leave_function(nothing(), span);
        } else {
            self.panic();
        }
        self.switch_to(yes);
        unit_value()
    }

    fn comparison(&mut self, call: &Macro, operator: Operator, span: Span) -> Operand {
        let Some(arguments) = parsed(call) else { return self.unknown_macro(call, span) };
        let mark = self.mark();
        let values: Vec<Operand> = arguments.iter().take(2).map(|it| self.expression(it)).collect();
        for value in &values {
            self.touch(value, Access::Read, span);
        }
        let on = self.compute(operator, values, span);
        let (yes, no) = (self.block(), self.block());
        self.branch(on, Targets { yes, no, repeats: false }, span);
        self.switch_to(no);
        self.panic();
        self.switch_to(yes);
        self.forget_since(mark);
        unit_value()
    }

    /// `println!("{} {name}", value)`: everything is read.
    fn read_arguments(&mut self, call: &Macro, span: Span) {
        let Some(arguments) = parsed(call) else {
            self.escape_names(call.tokens.clone(), span);
            return;
        };
        for argument in &arguments {
            match argument {
                Expr::Lit(literal) => {
                    if let syn::Lit::Str(text) = &literal.lit {
                        self.read_inline(&text.value(), span);
                    }
                }
                // `width = 5`
                Expr::Assign(it) => {
                    let value = self.expression(&it.right);
                    self.touch(&value, Access::Read, span);
                }
                other => {
                    let value = self.expression(other);
                    self.touch(&value, Access::Read, span);
                }
            }
        }
    }

    /// The names in the braces of a text.
    fn read_inline(&mut self, text: &str, span: Span) {
        for part in text.split('{').skip(1) {
            let name: String = part.chars().take_while(|it| it.is_alphanumeric() || *it == '_').collect();
            if let Some(local) = self.local_of(&name) {
                self.builder().count_read(local);
                self.touch(&Operand::Local(local), Access::Read, span);
            }
        }
    }

    fn unknown_macro(&mut self, call: &Macro, span: Span) -> Operand {
        match parsed(call) {
            Some(arguments) => {
                for argument in &arguments {
                    let value = self.expression(argument);
                    if let Operand::Local(_) = value {
                        self.emit(Operation::Escape { value }, span);
                    }
                }
            }
            None => self.escape_names(call.tokens.clone(), span),
        }
        self.unknown("macro", Vec::new(), span)
    }

    /// Every variable that is named in tokens escapes.
    fn escape_names(&mut self, tokens: TokenStream, span: Span) {
        let mut pending = vec![tokens];
        while let Some(tokens) = pending.pop() {
            for token in tokens {
                match token {
                    TokenTree::Ident(name) => {
                        let name = name.to_string();
                        self.names_read.insert(name.clone());
                        if let Some(local) = self.local_of(&name) {
                            self.builder().count_read(local);
                            self.emit(Operation::Escape { value: Operand::Local(local) }, span);
                        }
                    }
                    TokenTree::Group(group) => pending.push(group.stream()),
                    TokenTree::Literal(literal) => self.escape_inline(&literal.to_string(), span),
                    TokenTree::Punct(_) => {}
                }
            }
        }
    }

    fn escape_inline(&mut self, text: &str, span: Span) {
        if text.contains('{') {
            self.read_inline(text, span);
        }
    }
}

/// The arguments of a macro, where they are expressions.
fn parsed(call: &Macro) -> Option<Vec<Expr>> {
    let parse = Punctuated::<Expr, Token![,]>::parse_terminated;
    parse.parse2(call.tokens.clone()).ok().map(|it| it.into_iter().collect())
}
