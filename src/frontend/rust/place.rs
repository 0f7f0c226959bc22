//! Where things stand: the spans of syntax nodes as numbers.
//!
//! `syn` finds the span of a node by writing out all of its tokens. That is too slow for a tree whose every node is asked, so an
//! expression's first and last token are looked for by its shape, and only what is left of it is written out.

use proc_macro2::Span as TokenSpan;
use syn::spanned::Spanned;
use syn::{Expr, Macro, MacroDelimiter};

use super::Lowering;
use crate::source::Span;

/// Turns spans of tokens into bytes.
#[derive(Default)]
pub(super) struct Places;

impl Places {
    fn range(&self, first: TokenSpan, last: TokenSpan) -> Span {
        let (first, last) = (first.byte_range(), last.byte_range());
        Span::new(first.start as u32, last.end as u32)
    }
}

impl Lowering<'_> {
    /// The span of an expression.
    pub(super) fn span_of(&self, expression: &Expr) -> Span {
        self.places.range(first(expression), last(expression))
    }

    /// The span of a small node.
    pub(super) fn span_of_node(&self, node: &impl Spanned) -> Span {
        let span = node.span();
        self.places.range(span, span)
    }

    /// From one token to another.
    pub(super) fn span_between(&self, from: TokenSpan, to: TokenSpan) -> Span {
        self.places.range(from, to)
    }

    /// The span of the bracket, brace or parenthesis that closes a group.
    pub(super) fn span_of_end(&self, group: proc_macro2::extra::DelimSpan) -> Span {
        self.places.range(group.close(), group.close())
    }

    /// The span of a macro call.
    pub(super) fn span_of_macro(&self, call: &Macro) -> Span {
        self.places.range(call.path.span(), closing(call))
    }
}

fn closing(call: &Macro) -> TokenSpan {
    match &call.delimiter {
        MacroDelimiter::Paren(it) => it.span.close(),
        MacroDelimiter::Brace(it) => it.span.close(),
        MacroDelimiter::Bracket(it) => it.span.close(),
    }
}

fn first(expression: &Expr) -> TokenSpan {
    let mut at = expression;
    loop {
        at = match at {
            Expr::MethodCall(it) => &it.receiver,
            Expr::Call(it) => &it.func,
            Expr::Field(it) => &it.base,
            Expr::Index(it) => &it.expr,
            Expr::Binary(it) => &it.left,
            Expr::Assign(it) => &it.left,
            Expr::Cast(it) => &it.expr,
            Expr::Try(it) => &it.expr,
            Expr::Await(it) => &it.base,
            Expr::Group(it) => &it.expr,
            Expr::Range(it) if it.start.is_some() => match &it.start {
                Some(start) => start,
                None => return expression.span(),
            },
            Expr::Paren(it) => return it.paren_token.span.open(),
            Expr::Array(it) => return it.bracket_token.span.open(),
            Expr::Tuple(it) => return it.paren_token.span.open(),
            Expr::Repeat(it) => return it.bracket_token.span.open(),
            Expr::Block(it) => {
                let brace = it.block.brace_token.span.open();
                return it.label.as_ref().map_or(brace, |label| label.name.apostrophe);
            }
            Expr::Unsafe(it) => return it.unsafe_token.span,
            Expr::Async(it) => return it.async_token.span,
            Expr::If(it) => return it.if_token.span,
            Expr::Match(it) => return it.match_token.span,
            Expr::While(it) => return it.while_token.span,
            Expr::ForLoop(it) => return it.for_token.span,
            Expr::Loop(it) => return it.loop_token.span,
            Expr::Let(it) => return it.let_token.span,
            Expr::Return(it) => return it.return_token.span,
            Expr::Break(it) => return it.break_token.span,
            Expr::Reference(it) => return it.and_token.span,
            Expr::Struct(it) => return it.path.span(),
            Expr::Macro(it) => return it.mac.path.span(),
            Expr::Closure(it) => {
                let begin = it.inputs_begin.span;
                return it.capture.as_ref().map_or(begin, |capture| capture.span);
            }
            other => return other.span(),
        };
    }
}

fn last(expression: &Expr) -> TokenSpan {
    let mut at = expression;
    loop {
        at = match at {
            Expr::Binary(it) => &it.right,
            Expr::Assign(it) => &it.right,
            Expr::Unary(it) => &it.expr,
            Expr::Reference(it) => &it.expr,
            Expr::Closure(it) => &it.body,
            Expr::Let(it) => &it.expr,
            Expr::Group(it) => &it.expr,
            Expr::MethodCall(it) => return it.paren_token.span.close(),
            Expr::Call(it) => return it.paren_token.span.close(),
            Expr::Field(it) => return it.member.span(),
            Expr::Index(it) => return it.bracket_token.span.close(),
            Expr::Cast(it) => return it.ty.span(),
            Expr::Try(it) => return it.question_token.span,
            Expr::Await(it) => return it.await_token.span,
            Expr::Paren(it) => return it.paren_token.span.close(),
            Expr::Array(it) => return it.bracket_token.span.close(),
            Expr::Tuple(it) => return it.paren_token.span.close(),
            Expr::Repeat(it) => return it.bracket_token.span.close(),
            Expr::Block(it) => return it.block.brace_token.span.close(),
            Expr::Unsafe(it) => return it.block.brace_token.span.close(),
            Expr::Async(it) => return it.block.brace_token.span.close(),
            Expr::Match(it) => return it.brace_token.span.close(),
            Expr::While(it) => return it.body.brace_token.span.close(),
            Expr::ForLoop(it) => return it.body.brace_token.span.close(),
            Expr::Loop(it) => return it.body.brace_token.span.close(),
            Expr::Struct(it) => return it.brace_token.span.close(),
            Expr::Macro(it) => return closing(&it.mac),
            Expr::If(it) => match &it.else_branch {
                Some((_, otherwise)) => otherwise,
                None => return it.then_branch.brace_token.span.close(),
            },
            other => return other.span(),
        };
    }
}
