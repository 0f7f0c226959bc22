//! Expressions: each gives the operand that holds its value.
//!
//! References, dereferences, casts and parentheses are passed through: they name the same thing.

use syn::{
    BinOp, Expr, ExprBinary, ExprField, ExprIf, ExprIndex, ExprRange, ExprStruct, Member, RangeLimits, UnOp,
};

use super::condition::{Targets, is_and, is_assignment, is_or};
use super::names::{Meaning, plain, segments};
use super::scope::Bound;
use super::{Lowering, nothing, unit_value};
use crate::ir::{
    Access, Argument, Callee, Constant, ContainerKind, Item, Key, Local, Operand, Operation, Operator,
    Passing,
};
use crate::source::Span;

/// What the analysis takes for running numbers.
const NUMBERS: &str = "numbers up to";

impl Lowering<'_> {
    /// Evaluates an expression.
    pub(super) fn expression(&mut self, expression: &Expr) -> Operand {
        let span = self.span_of(expression);
        match self.deeper(span, |it| it.evaluate(expression, span)) {
            Some(value) => value,
            None => self.unknown("too deep", Vec::new(), span),
        }
    }

    fn evaluate(&mut self, expression: &Expr, span: Span) -> Operand {
        match expression {
            Expr::Lit(it) => self.literal(&it.lit),
            Expr::Path(it) => self.path(&it.path, span),
            Expr::Field(it) => self.field(it, span),
            Expr::Index(it) => self.index(it, span),
            Expr::Call(it) => self.call(it, span),
            Expr::MethodCall(it) => self.method_call(it, span),
            Expr::Macro(it) => self.macro_value(&it.mac),
            Expr::Binary(it) => self.binary(it, span),
            Expr::Unary(it) => self.unary(&it.op, &it.expr, span),
            Expr::Assign(it) => self.assign(it, span),
            Expr::Paren(it) => self.expression(&it.expr),
            Expr::Group(it) => self.expression(&it.expr),
            Expr::Reference(it) => self.expression(&it.expr),
            Expr::RawAddr(it) => self.expression(&it.expr),
            Expr::Cast(it) => self.expression(&it.expr),
            Expr::Try(it) => {
                let value = self.expression(&it.expr);
                self.try_expression(value, span)
            }
            Expr::Await(it) => {
                let value = self.expression(&it.base);
                let to = self.temporary(span);
                self.emit(Operation::Await { to, value }, span);
                Operand::Local(to)
            }
            Expr::If(it) => self.if_expression(it, span),
            Expr::Match(it) => self.match_expression(it, span),
            Expr::Let(it) => self.matches_value(&it.expr, &it.pat, span),
            Expr::Block(it) => self.labelled_block(it, span),
            Expr::Unsafe(it) => self.block_value(&it.block),
            Expr::Const(it) => self.block_value(&it.block),
            Expr::TryBlock(it) => self.try_block(it, span),
            Expr::Async(it) => self.async_block(it, span),
            Expr::Closure(it) => self.closure(it, span),
            Expr::Loop(it) => self.loop_expression(it, span),
            Expr::While(it) => self.while_expression(it),
            Expr::ForLoop(it) => self.for_expression(it),
            Expr::Return(it) => self.return_expression(it, span),
            Expr::Break(it) => self.break_expression(it, span),
            Expr::Continue(it) => self.continue_expression(it, span),
            Expr::Array(it) if !it.elems.is_empty() && it.elems.iter().all(is_number) => self.buffer(span),
            Expr::Array(it) => self.display(ContainerKind::List, it.elems.iter(), span),
            Expr::Tuple(it) if it.elems.is_empty() => unit_value(),
            Expr::Tuple(it) => self.display(ContainerKind::Tuple, it.elems.iter(), span),
            Expr::Repeat(it) => self.repeated(&it.expr, &it.len, span),
            Expr::Struct(it) => self.structure(it, span),
            Expr::Range(it) => self.range(it, span),
            Expr::Yield(it) => {
                let value = it.expr.as_deref().map_or_else(unit_value, |it| self.expression(it));
                let to = self.temporary(span);
                self.emit(Operation::Yield { to, value }, span);
                Operand::Local(to)
            }
            Expr::Infer(_) | Expr::Verbatim(_) => self.unknown("verbatim", Vec::new(), span),
            _ => self.unknown("expression", Vec::new(), span),
        }
    }

    /// Reads a path.
    pub(super) fn path(&mut self, path: &syn::Path, span: Span) -> Operand {
        let names = segments(path);
        if let [name] = names.as_slice() {
            if let Some(bound) = self.bound(name) {
                return self.read_bound(bound, span);
            }
            if name == "None" {
                return nothing();
            }
        }
        let mut names = names;
        if names.len() > 1
            && let Some(first) = names.first().cloned()
        {
            match self.bound(&first) {
                Some(Bound::Path(path)) => {
                    names.splice(..1, path.split('.').map(str::to_owned));
                }
                Some(Bound::Class(id)) => return self.associated(id, &names[1], span),
                Some(Bound::Local(_) | Bound::Function(_)) | None => {}
            }
        }
        match self.meaning_of(&names) {
            Some(Meaning::Own(name)) => {
                self.note_read(&name);
                let to = self.temporary(span);
                self.emit(Operation::Global { to, name }, span);
                Operand::Local(to)
            }
            Some(Meaning::Associated(class, name)) => self.associated(class, &name, span),
            Some(Meaning::Path(path)) => self.imported(path, span),
            None => self.imported(names.join("."), span),
        }
    }

    fn note_read(&mut self, name: &str) {
        let last = name.rsplit("::").next().unwrap_or(name);
        self.names_read.insert(last.to_owned());
        self.names_read.insert(name.to_owned());
    }

    fn read_bound(&mut self, bound: Bound, span: Span) -> Operand {
        match bound {
            Bound::Local(local) => {
                self.builder().count_read(local);
                Operand::Local(local)
            }
            Bound::Function(function) => {
                let to = self.temporary(span);
                self.emit(Operation::Closure { to, function }, span);
                Operand::Local(to)
            }
            Bound::Path(path) => self.imported(path, span),
            Bound::Class(_) => self.unknown("type", Vec::new(), span),
        }
    }

    /// Something from elsewhere.
    pub(super) fn imported(&mut self, path: String, span: Span) -> Operand {
        let to = self.temporary(span);
        self.emit(Operation::Import { to, path }, span);
        Operand::Local(to)
    }

    /// `Class::item` as a value.
    fn associated(&mut self, class: crate::ir::ClassId, name: &str, span: Span) -> Operand {
        let method = self.classes.get(class.0 as usize).and_then(|it| it.methods.get(name).copied());
        let to = self.temporary(span);
        match method {
            Some(function) => self.emit(Operation::Closure { to, function }, span),
            None => {
                let of = self.classes.get(class.0 as usize).map(|it| it.name.clone()).unwrap_or_default();
                let text = Operand::Constant(Constant::Other(format!("{of}::{name}")));
                self.emit(
                    Operation::Compute { to, operator: Operator::Other("associated"), operands: vec![text] },
                    span,
                );
            }
        }
        Operand::Local(to)
    }

    fn field(&mut self, it: &ExprField, span: Span) -> Operand {
        let of = self.expression(&it.base);
        let name = member(&it.member);
        if let Member::Unnamed(index) = &it.member {
            // A part of a tuple; of a record of the file, its field of that number.
            self.names_read.insert(name);
            let key = Key::At(Operand::Constant(Constant::Int(i64::from(index.index))));
            let to = self.temporary(span);
            self.emit(Operation::Element { to, of, key }, span);
            return Operand::Local(to);
        }
        self.names_read.insert(name.clone());
        let to = self.temporary(span);
        self.emit(Operation::Field { to, of, name }, span);
        Operand::Local(to)
    }

    fn index(&mut self, it: &ExprIndex, span: Span) -> Operand {
        let of = self.expression(&it.expr);
        let key = self.key(&it.index);
        let to = self.temporary(span);
        self.emit(Operation::Element { to, of, key }, span);
        Operand::Local(to)
    }

    /// The key of a subscript.
    pub(super) fn key(&mut self, index: &Expr) -> Key {
        match index {
            Expr::Range(range) => {
                let lower = range.start.as_deref().map(|it| self.expression(it));
                let upper = range.end.as_deref().map(|it| self.expression(it));
                let upper = match (&range.limits, upper) {
                    (RangeLimits::Closed(_), Some(upper)) => {
                        let one = Operand::Constant(Constant::Int(1));
                        let at = self.span_of(index);
                        Some(self.compute(Operator::Other("+"), vec![upper, one], at))
                    }
                    (_, upper) => upper,
                };
                Key::Range(lower, upper)
            }
            Expr::Paren(it) => self.key(&it.expr),
            Expr::Reference(it) => self.key(&it.expr),
            other => Key::At(self.expression(other)),
        }
    }

    /// A chain of operators leans to the left; it is walked without recursion, since it can be very long.
    fn binary(&mut self, operation: &ExprBinary, span: Span) -> Operand {
        if let Some(operator) = super::assignment::updates(&operation.op) {
            return self.update(&operation.left, operator, &operation.right, span);
        }
        if is_and(&operation.op) || is_or(&operation.op) {
            return self.boolean_value(operation, span);
        }
        let mut chain = vec![operation];
        let mut leftmost = operation.left.as_ref();
        while let Expr::Binary(inner) = leftmost
            && !is_and(&inner.op)
            && !is_or(&inner.op)
            && !is_assignment(&inner.op)
        {
            chain.push(inner);
            leftmost = &inner.left;
        }
        let begin = self.span_of(leftmost).start;
        let mut value = self.expression(leftmost);
        for link in chain.into_iter().rev() {
            let right = self.expression(&link.right);
            let at = Span::new(begin, self.span_of(&link.right).end);
            value = self.compute(operator(&link.op), vec![value, right], at);
        }
        value
    }

    fn unary(&mut self, operator: &UnOp, inner: &Expr, span: Span) -> Operand {
        if let (UnOp::Neg(_), Expr::Lit(literal)) = (operator, inner)
            && let Operand::Constant(Constant::Int(value)) = self.literal(&literal.lit)
        {
            return Operand::Constant(Constant::Int(-value));
        }
        let value = self.expression(inner);
        match operator {
            UnOp::Not(_) => self.compute(Operator::Not, vec![value], span),
            UnOp::Neg(_) => self.compute(Operator::Other("-x"), vec![value], span),
            UnOp::Deref(_) => value,
            _ => value,
        }
    }

    /// `if condition { … } else { … }`.
    fn if_expression(&mut self, it: &ExprIf, span: Span) -> Operand {
        let result = self.temporary(span);
        let (yes, no, after) = (self.block(), self.block(), self.block());
        self.push_layer();
        self.test_to(&it.cond, Targets { yes, no, repeats: false });
        let mark = self.mark();
        let value = self.block_value(&it.then_branch);
        self.arm(result, value, mark, span);
        self.pop_layer(self.span_of_end(it.then_branch.brace_token.span));
        self.goto(after);
        self.switch_to(no);
        let mark = self.mark();
        let value = match &it.else_branch {
            Some((_, otherwise)) => self.expression(otherwise),
            None => unit_value(),
        };
        self.arm(result, value, mark, span);
        self.goto(after);
        self.switch_to(after);
        Operand::Local(result)
    }

    /// `result = value`, and forgets what the value left behind.
    pub(super) fn arm(&mut self, result: Local, value: Operand, mark: usize, at: Span) {
        self.emit(Operation::Assign { to: result, from: value }, at);
        self.forget_since(mark);
    }

    fn display<'e>(
        &mut self,
        kind: ContainerKind,
        elements: impl Iterator<Item = &'e Expr>,
        span: Span,
    ) -> Operand {
        let items = elements.map(|it| Item::One(self.expression(it))).collect();
        self.collect(kind, items, span)
    }

    /// `[0.0; 8]`, `vec![1, 2]`: numbers hold no handle, and are data that can be sent.
    pub(super) fn buffer(&mut self, span: Span) -> Operand {
        let to = self.temporary(span);
        self.emit(Operation::Fresh { to }, span);
        Operand::Local(to)
    }

    /// A new container.
    pub(super) fn collect(&mut self, kind: ContainerKind, items: Vec<Item>, span: Span) -> Operand {
        let to = self.temporary(span);
        self.emit(Operation::Collect { to, kind, items }, span);
        Operand::Local(to)
    }

    /// `[value; count]`, `vec![value; count]`.
    pub(super) fn repeated(&mut self, value: &Expr, count: &Expr, span: Span) -> Operand {
        if is_number(value) {
            self.expression(count);
            return self.buffer(span);
        }
        let value = self.expression(value);
        let one = self.collect(ContainerKind::List, vec![Item::One(value)], span);
        let count = self.expression(count);
        self.compute(Operator::Other("*"), vec![one, count], span)
    }

    /// `Pending { request, buffer }`.
    fn structure(&mut self, it: &ExprStruct, span: Span) -> Operand {
        let callee = self.class_value(&it.path, span);
        let mut arguments = Vec::with_capacity(it.fields.len());
        for field in &it.fields {
            let value = self.expression(&field.expr);
            let passing = Passing::Named(member(&field.member));
            arguments.push(Argument { passing, value, span: self.span_of(&field.expr) });
        }
        if let Some(rest) = &it.rest {
            let value = self.expression(rest);
            arguments.push(Argument { passing: Passing::Spread, value, span: self.span_of(rest) });
        }
        let to = self.temporary(span);
        self.emit(Operation::Call { to, callee: Callee::Value(callee), arguments }, span);
        Operand::Local(to)
    }

    fn class_value(&mut self, path: &syn::Path, span: Span) -> Operand {
        let names = segments(path);
        if names == ["Self"]
            && let Some(class) = self.class
            && let Some(name) = self.classes.get(class.0 as usize).map(|it| it.name.clone())
        {
            let to = self.temporary(span);
            self.emit(Operation::Global { to, name }, span);
            return Operand::Local(to);
        }
        self.path(path, span)
    }

    /// `a..b` as a value.
    fn range(&mut self, it: &ExprRange, span: Span) -> Operand {
        let bounds: Vec<Operand> = [&it.start, &it.end]
            .into_iter()
            .filter_map(|it| it.as_deref().map(|it| self.expression(it)))
            .collect();
        let bounds = match bounds.as_slice() {
            [Operand::Constant(Constant::Int(0)), end] => vec![end.clone()],
            _ => bounds,
        };
        self.compute(Operator::Other(NUMBERS), bounds, span)
    }

    /// The data of a value is touched.
    pub(super) fn touch(&mut self, value: &Operand, access: Access, at: Span) {
        if let Operand::Local(_) = value {
            self.emit(Operation::Touch { buffer: value.clone(), access }, at);
        }
    }
}

/// A number that is written down.
pub(super) fn is_number(value: &Expr) -> bool {
    match value {
        Expr::Lit(it) => matches!(it.lit, syn::Lit::Int(_) | syn::Lit::Float(_) | syn::Lit::Byte(_)),
        Expr::Unary(it) => is_number(&it.expr),
        _ => false,
    }
}

/// The name of a field.
pub(super) fn member(member: &Member) -> String {
    match member {
        Member::Named(name) => plain(name),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

fn operator(operator: &BinOp) -> Operator {
    match operator {
        BinOp::Eq(_) => Operator::Equal,
        BinOp::Ne(_) => Operator::NotEqual,
        BinOp::Lt(_) => Operator::Less,
        BinOp::Le(_) => Operator::LessEqual,
        BinOp::Gt(_) => Operator::Greater,
        BinOp::Ge(_) => Operator::GreaterEqual,
        BinOp::And(_) => Operator::And,
        BinOp::Or(_) => Operator::Or,
        BinOp::Add(_) => Operator::Other("+"),
        BinOp::Sub(_) => Operator::Other("-"),
        BinOp::Mul(_) => Operator::Other("*"),
        BinOp::Div(_) => Operator::Other("/"),
        BinOp::Rem(_) => Operator::Other("%"),
        BinOp::BitXor(_) => Operator::Other("^"),
        BinOp::BitAnd(_) => Operator::Other("&"),
        BinOp::BitOr(_) => Operator::Other("|"),
        BinOp::Shl(_) => Operator::Other("<<"),
        BinOp::Shr(_) => Operator::Other(">>"),
        _ => Operator::Other("operator"),
    }
}
