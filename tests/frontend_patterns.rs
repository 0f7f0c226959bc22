//! `match`. Each test shows a program and what it is lowered to.

mod frontend;

use frontend::ir;

#[test]
fn literals_and_a_wildcard() {
    insta::assert_snapshot!(ir(r"
def f(x, g):
    match x.y:
        case 1 | -2:
            g(1)
        case None:
            g(2)
        case _:
            g(3)
"), @r"
    function f(x, g)
    b0:
        %0 = field x.y
        %1 = == (%0, 1)
        if %1 then b2 else b4
    b1:
        forget %0 (statement)
        return None
    b2:
        forget %1 (statement)
        forget %2 (statement)
        %3 = call g(1)
        forget %3 (statement)
        goto b1
    b3:
        forget %1 (statement)
        forget %2 (statement)
        %4 = is (%0, None)
        if %4 then b5 else b6
    b4:
        %2 = == (%0, -2)
        if %2 then b2 else b3
    b5:
        forget %4 (statement)
        %5 = call g(2)
        forget %5 (statement)
        goto b1
    b6:
        forget %4 (statement)
        %6 = call g(3)
        forget %6 (statement)
        goto b1
    ");
}

#[test]
fn parts_of_the_subject() {
    insta::assert_snapshot!(ir(r"
def f(x, g):
    match x:
        case [a, *rest, g.Work(b, req=c)] if a:
            g(b, c)
        case {'k': v, **others}:
            g(v)
        case other:
            g(other)
"), @r#"
    function f(x, g)
    b0:
        %0 = match (x, [a, *rest, g.Work(b, req=c)])
        if %0 then b4 else b3
    b1:
        return None
    b2:
        forget %0 (statement)
        forget %1 (statement)
        forget %2 (statement)
        forget %3 (statement)
        forget %4 (statement)
        forget %5 (statement)
        forget %6 (statement)
        forget %7 (statement)
        %8 = call g(b, c)
        forget %8 (statement)
        goto b1
    b3:
        forget %0 (statement)
        forget %1 (statement)
        forget %2 (statement)
        forget %3 (statement)
        forget %4 (statement)
        forget %5 (statement)
        forget %6 (statement)
        forget %7 (statement)
        %9 = match (x, {'k': v, **others})
        if %9 then b7 else b6
    b4:
        %1 = element x[0]
        a = %1
        %2 = element x[1:-1]
        rest = %2
        %3 = element x[-1]
        %4 = field g.Work
        %5 = match (%3, %4, g.Work(b, req=c))
        if %5 then b5 else b3
    b5:
        %6 = match (%3)
        b = %6
        %7 = field %3.req
        c = %7
        if a then b2 else b3
    b6:
        forget %9 (statement)
        forget %10 (statement)
        forget %11 (statement)
        other = x
        %13 = call g(other)
        forget %13 (statement)
        goto b1
    b7:
        %10 = element x["k"]
        v = %10
        %11 = match (x)
        others = %11
        forget %9 (statement)
        forget %10 (statement)
        forget %11 (statement)
        %12 = call g(v)
        forget %12 (statement)
        goto b1
    "#);
}
