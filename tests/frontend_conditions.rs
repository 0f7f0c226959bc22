//! Conditions: atoms are branched on one by one; pure ones stay values. Each test shows a program and what it is lowered to.

mod frontend;

use frontend::ir;

#[test]
fn a_branch_on_several_atoms() {
    insta::assert_snapshot!(ir(r"
def f(a, b, c):
    if a and (not b or c is None):
        return 1
    elif a < b < 3:
        return 2
    else:
        return 3
"), @r"
    function f(a, b, c)
    b0:
        if a then b3 else b2
    b1:
        forget %0 (statement)
        return 1
    b2:
        forget %0 (statement)
        %1 = < (a, b)
        if %1 then b7 else b6
    b3:
        if b then b4 else b1
    b4:
        %0 = is (c, None)
        if %0 then b1 else b2
    b5:
        forget %1 (statement)
        forget %2 (statement)
        return 2
    b6:
        forget %1 (statement)
        forget %2 (statement)
        return 3
    b7:
        %2 = < (b, 3)
        if %2 then b5 else b6
    ");
}

#[test]
fn a_pure_condition_as_a_value() {
    insta::assert_snapshot!(ir(r"
def f(overlap, copies):
    flag = overlap and copies == 1 and len(copies.x) > 2
    return 0 < copies <= 3 or flag
"), @r"
    function f(overlap, copies)
    b0:
        %0 = == (copies, 1)
        %1 = global len
        %2 = field copies.x
        %3 = call %1(%2)
        %4 = > (%3, 2)
        %5 = and (overlap, %0, %4)
        flag = %5
        forget %0 (statement)
        forget %1 (statement)
        forget %2 (statement)
        forget %3 (statement)
        forget %4 (statement)
        forget %5 (statement)
        %6 = < (0, copies)
        %7 = <= (copies, 3)
        %8 = and (%6, %7)
        %9 = or (%8, flag)
        forget %6 (statement)
        forget %7 (statement)
        forget %8 (statement)
        return %9
    ");
}

#[test]
fn an_impure_condition_as_a_value() {
    insta::assert_snapshot!(ir(r"
def f(a, g):
    return a or g()
"), @r"
    function f(a, g)
    b0:
        %0 = a
        if a then b1 else b2
    b1:
        return %0
    b2:
        %1 = call g()
        %0 = %1
        forget %1 (statement)
        goto b1
    ");
}

#[test]
fn a_conditional_expression() {
    insta::assert_snapshot!(ir(r"
def f(ops, batch):
    reqs = batch(ops) if ops else []
    return reqs
"), @r"
    function f(ops, batch)
    b0:
        if ops then b2 else b3
    b1:
        reqs = %0
        forget %0 (statement)
        return reqs
    b2:
        %1 = call batch(ops)
        %0 = %1
        forget %1 (statement)
        goto b1
    b3:
        %2 = list []
        %0 = %2
        forget %2 (statement)
        goto b1
    ");
}

#[test]
fn conditions_that_are_constant() {
    insta::assert_snapshot!(ir(r"
from typing import TYPE_CHECKING
def f(g):
    if TYPE_CHECKING:
        g(1)
    if False:
        g(2)
    g(3) if True else g(4)
"), @r"
    function f(g)
    b0:
        %3 = call g(3)
        %2 = %3
        forget %3 (statement)
        forget %2 (statement)
        return None
    b1:
        %0 = call g(1)
        forget %0 (statement)
        goto b4
    b2:
        %1 = call g(2)
        forget %1 (statement)
        goto b4
    b3:
        raise
    b4:
        raise
    b5:
        %4 = call g(4)
        %2 = %4
        forget %4 (statement)
        goto b3
    ");
}
