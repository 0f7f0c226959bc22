//! `with`, `try`, `finally` and the ways out of them. Each test shows a program and what it is lowered to.

mod frontend;

use frontend::ir;

#[test]
fn managers_are_left_on_every_way() {
    insta::assert_snapshot!(ir(r"
def f(a, b, c):
    for x in c:
        with a() as y, b:
            if y: return y.z()
            if c: break
            y.go()
"), @r"
    function f(a, b, c)
    b0:
        %0 = iterate c
        goto b1
    b1: loop of b1 b4 b5 b6 b7 b8
        next x of %0 then b4 else b2
    b2:
        forget %0 (statement)
        goto b3
    b3:
        return None
    b4:
        %1 = call a()
        y = enter %1
        %2 = enter b
        forget %2 (statement)
        if y then b6 else b5
    b5:
        if c then b8 else b7
    b6:
        %3 = call y.z()
        leave b
        leave %1
        forget %1 (statement)
        forget %0 (statement)
        return %3
    b7:
        %4 = call y.go()
        forget %4 (statement)
        leave b
        leave %1
        forget %1 (statement)
        goto b1
    b8:
        leave b
        leave %1
        forget %1 (statement)
        forget %0 (statement)
        goto b3
    ");
}

#[test]
fn handlers_are_entered_from_before_the_body() {
    insta::assert_snapshot!(ir(r"
def f(g, h):
    try:
        g()
    except (KeyError, ValueError) as e:
        h(e)
    except OSError:
        raise
    else:
        g(1)
    h()
"), @r"
    function f(g, h)
    b0:
        choose b2 b3 b4
    b1:
        %8 = call h()
        forget %8 (statement)
        return None
    b2:
        %0 = call g()
        forget %0 (statement)
        %1 = call g(1)
        forget %1 (statement)
        goto b1
    b3:
        %2 = global KeyError
        %3 = global ValueError
        %4 = tuple (%2, %3)
        forget %2 (statement)
        forget %3 (statement)
        forget %4 (statement)
        %5 = exception ()
        e = %5
        forget %5 (statement)
        %6 = call h(e)
        forget %6 (statement)
        forget e (scope)
        goto b1
    b4:
        %7 = global OSError
        forget %7 (statement)
        raise
    ");
}

#[test]
fn a_raise_goes_to_the_handlers_that_can_catch_it() {
    insta::assert_snapshot!(ir(r"
def f(g, x):
    try:
        if x: raise ValueError(x)
        try:
            raise KeyError
        except TypeError:
            g(1)
        except LookupError:
            g(2)
    except Exception:
        g(3)
"), @r"
    function f(g, x)
    b0:
        choose b2 b3
    b1:
        return None
    b2:
        if x then b5 else b4
    b3:
        %7 = global Exception
        forget %7 (statement)
        %8 = call g(3)
        forget %8 (statement)
        goto b1
    b4:
        choose b6 b7 b8
    b5:
        %0 = global ValueError
        %1 = call %0(x)
        forget %0 (statement)
        forget %1 (statement)
        goto b3
    b6:
        %2 = global KeyError
        forget %2 (statement)
        choose b8 b3
    b7:
        %3 = global TypeError
        forget %3 (statement)
        %4 = call g(1)
        forget %4 (statement)
        goto b1
    b8:
        %5 = global LookupError
        forget %5 (statement)
        %6 = call g(2)
        forget %6 (statement)
        goto b1
    ");
}

#[test]
fn a_finally_runs_on_every_way() {
    insta::assert_snapshot!(ir(r"
def f(g, x):
    while x:
        try:
            if x.a: return g(1)
            if x.b: continue
        finally:
            g(2)
    return None
"), @r"
    function f(g, x)
    b0:
        goto b1
    b1: loop of b1 b3 b4 b5 b6 b7
        while x then b3 else b2
    b2:
        return None
    b3:
        %0 = field x.a
        if %0 then b4 else b5
    b4:
        forget %0 (statement)
        %1 = call g(1)
        %2 = %1
        forget %1 (statement)
        %3 = call g(2)
        forget %3 (statement)
        return %2
    b5:
        forget %0 (statement)
        %4 = field x.b
        if %4 then b6 else b7
    b6:
        forget %4 (statement)
        %5 = call g(2)
        forget %5 (statement)
        goto b1
    b7:
        forget %4 (statement)
        %6 = call g(2)
        forget %6 (statement)
        goto b1
    ");
}

#[test]
fn exception_groups() {
    insta::assert_snapshot!(ir(r"
def f(g):
    try:
        g()
    except* ValueError as group:
        g(group)
    except* OSError, KeyError:
        pass
"), @r"
    function f(g)
    b0:
        choose b2 b3 b4
    b1:
        return None
    b2:
        %0 = call g()
        forget %0 (statement)
        goto b1
    b3:
        %1 = global ValueError
        forget %1 (statement)
        %2 = exception ()
        group = %2
        forget %2 (statement)
        %3 = call g(group)
        forget %3 (statement)
        forget group (scope)
        goto b1
    b4:
        %4 = global OSError
        %5 = global KeyError
        %6 = tuple (%4, %5)
        forget %4 (statement)
        forget %5 (statement)
        forget %6 (statement)
        goto b1
    ");
}
