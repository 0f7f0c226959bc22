//! Statements.

use ruff_python_ast::{Expr, Stmt, StmtFor, StmtIf, StmtReturn, StmtWhile};

use super::exits::Frame;
use super::{Lowering, span_of};
use crate::ir::{Constant, Operand, Operation, Terminator};
use crate::source::Span;

impl<'a> Lowering<'a> {
    /// Statements in order.
    pub(super) fn statements(&mut self, body: &'a [Stmt]) {
        for statement in body {
            let _ = self.deeper(span_of(statement), |it| {
                let mark = it.mark();
                it.statement(statement);
                it.forget_since(mark);
            });
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Expr(it) => self.expression_statement(&it.value),
            Stmt::Assign(it) => self.assignment(it),
            Stmt::AnnAssign(it) => self.annotated_assignment(it),
            Stmt::AugAssign(it) => self.augmented_assignment(it),
            Stmt::Delete(it) => it.targets.iter().for_each(|it| self.delete(it)),
            Stmt::Return(it) => self.return_statement(it),
            Stmt::Raise(it) => self.raise_statement(it),
            Stmt::Assert(it) => self.assert_statement(it),
            Stmt::Break(_) => self.leave_loop(),
            Stmt::Continue(_) => self.next_turn(),
            Stmt::If(it) => self.if_statement(it),
            Stmt::While(it) => self.while_statement(it),
            Stmt::For(it) => self.for_statement(it),
            Stmt::With(it) => self.with(it),
            Stmt::Try(it) => self.try_statement(it),
            Stmt::Match(it) => self.match_statement(it),
            Stmt::FunctionDef(it) => self.define(it),
            Stmt::ClassDef(it) => self.define_class(it),
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.import(statement),
            Stmt::TypeAlias(it) => {
                if let Expr::Name(name) = it.name.as_ref() {
                    let value = self.unknown("type", Vec::new(), span_of(it));
                    self.bind_name(name.id.as_str(), value, span_of(name));
                }
            }
            Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::Pass(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    fn expression_statement(&mut self, value: &'a Expr) {
        match value {
            Expr::Generator(generator) => {
                self.unconsumed(generator);
            }
            _ if self.constant(value).is_some() => {}
            _ => {
                self.expression(value);
            }
        }
    }

    /// The temporaries of the value are forgotten first, except for the value itself: that moves to the caller.
    fn return_statement(&mut self, statement: &'a StmtReturn) {
        let none = Operand::Constant(Constant::None);
        let mark = self.mark();
        let value = statement.value.as_deref().map_or(none, |it| self.expression(it));
        let value = match (self.waiting_room(), value) {
            (Some(room), Operand::Local(local)) => {
                self.emit(Operation::Assign { to: room, from: Operand::Local(local) }, span_of(statement));
                Operand::Local(room)
            }
            (_, value) => value,
        };
        let mut temporaries = self.take_since(mark);
        temporaries.retain(|(local, _)| value != Operand::Local(*local));
        self.forget(&temporaries);
        self.leave_function(value, span_of(statement));
    }

    fn if_statement(&mut self, statement: &'a StmtIf) {
        let after = self.block();
        let mut no = self.test(&statement.test).no;
        self.statements(&statement.body);
        self.goto(after);
        self.switch_to(no);
        for clause in &statement.elif_else_clauses {
            match &clause.test {
                Some(test) => {
                    no = self.test(test).no;
                    self.statements(&clause.body);
                    self.goto(after);
                    self.switch_to(no);
                }
                None => self.statements(&clause.body),
            }
        }
        self.goto(after);
        self.switch_to(after);
    }

    fn while_statement(&mut self, statement: &'a StmtWhile) {
        if !self.may_loop(span_of(statement.test.as_ref())) {
            return;
        }
        let (head, done, after) = (self.block(), self.block(), self.block());
        self.goto(head);
        let header = Span::new(span_of(statement).start, span_of(statement.test.as_ref()).end);
        self.builder().open_loop(head, header);
        self.switch_to(head);
        self.test_again(&statement.test, done);
        self.scope().frames.push(Frame::Loop { head, after, held: Vec::new() });
        self.statements(&statement.body);
        self.scope().frames.pop();
        self.goto(head);
        self.builder().close_loop();
        self.switch_to(done);
        self.statements(&statement.orelse);
        self.goto(after);
        self.switch_to(after);
    }

    fn for_statement(&mut self, statement: &'a StmtFor) {
        if !self.may_loop(span_of(statement.iter.as_ref())) {
            return;
        }
        let header = Span::new(span_of(statement).start, span_of(statement.iter.as_ref()).end);
        let mark = self.mark();
        let over = self.expression(&statement.iter);
        let mut held = self.take_since(mark);
        let iterator = self.held_temporary();
        held.push((iterator, span_of(statement.iter.as_ref())));
        self.emit(Operation::Iterate { to: iterator, over }, span_of(statement.iter.as_ref()));
        let (head, done, after) = (self.block(), self.block(), self.block());
        self.goto(head);
        self.builder().open_loop(head, header);
        let body = self.block();
        self.switch_to(head);
        let slot = self.slot(&statement.target);
        let item = slot.unwrap_or_else(|| self.held_temporary());
        self.end(Terminator::Next { iterator, item, body, done, span: header });
        self.switch_to(body);
        self.scope().frames.push(Frame::Loop { head, after, held: held.clone() });
        if slot.is_none() {
            self.take_item(&statement.target, item);
        }
        self.statements(&statement.body);
        self.scope().frames.pop();
        self.goto(head);
        self.builder().close_loop();
        self.switch_to(done);
        self.forget(&held);
        self.statements(&statement.orelse);
        self.goto(after);
        self.switch_to(after);
    }
}
