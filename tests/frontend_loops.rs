//! Loops and comprehensions. Each test shows a program and what it is lowered to.

mod frontend;

use frontend::ir;

#[test]
fn a_loop_over_a_list() {
    insta::assert_snapshot!(ir(r"
def f(reqs, g):
    for r in g(reqs):
        if r is None:
            continue
        if r.x:
            break
        r.wait()
    else:
        g()
"), @r"
    function f(reqs, g)
    b0:
        %0 = call g(reqs)
        %1 = iterate %0
        goto b1
    b1: loop of b1 b4 b5 b6 b7 b8
        next r of %1 then b4 else b2
    b2:
        forget %0 (statement)
        forget %1 (statement)
        %5 = call g()
        forget %5 (statement)
        goto b3
    b3:
        return None
    b4:
        %2 = is (r, None)
        if %2 then b5 else b6
    b5:
        forget %2 (statement)
        goto b1
    b6:
        forget %2 (statement)
        %3 = field r.x
        if %3 then b7 else b8
    b7:
        forget %3 (statement)
        forget %0 (statement)
        forget %1 (statement)
        goto b3
    b8:
        forget %3 (statement)
        %4 = call r.wait()
        forget %4 (statement)
        goto b1
    ");
}

#[test]
fn a_loop_that_takes_pairs_apart() {
    insta::assert_snapshot!(ir(r"
def f(reqs):
    for i, (a, b) in reqs:
        a.wait()
"), @r"
    function f(reqs)
    b0:
        %0 = iterate reqs
        goto b1
    b1: loop of b1 b3
        next %1 of %0 then b3 else b2
    b2:
        forget %0 (statement)
        return None
    b3:
        unpack i, %2 = %1
        unpack a, b = %2
        forget %2 (statement)
        forget %1 (statement)
        %3 = call a.wait()
        forget %3 (statement)
        goto b1
    ");
}

#[test]
fn a_loop_while_a_list_is_not_empty() {
    insta::assert_snapshot!(ir(r"
def f(reqs):
    while reqs:
        reqs.pop().wait()
"), @r"
    function f(reqs)
    b0:
        goto b1
    b1: loop of b1 b3
        while reqs then b3 else b2
    b2:
        return None
    b3:
        %0 = call reqs.pop() as Take
        %1 = call %0.wait()
        forget %0 (statement)
        forget %1 (statement)
        goto b1
    ");
}

#[test]
fn an_endless_loop() {
    insta::assert_snapshot!(ir(r"
def f(req):
    while True:
        if req.test():
            break
"), @r"
    function f(req)
    b0:
        goto b1
    b1: loop of b1 b3 b4
        %0 = call req.test()
        if %0 then b3 else b4
    b2:
        return None
    b3:
        forget %0 (statement)
        goto b2
    b4:
        forget %0 (statement)
        goto b1
    ");
}

#[test]
fn a_comprehension() {
    insta::assert_snapshot!(ir(r"
def f(dist, xs, r):
    return [dist.isend(x, r) for r, x in xs if x if not r]
"), @r"
    function f(dist, xs, r)
    b0:
        %0 = list []
        %1 = iterate xs
        goto b1
    b1: loop of b1 b3 b4 b5
        next %2 of %1 then b3 else b2
    b2:
        forget %1 (statement)
        forget x (scope)
        forget r'6 (scope)
        return %0
    b3:
        unpack r'6, x = %2
        forget %2 (statement)
        if x then b4 else b1
    b4:
        if r'6 then b1 else b5
    b5:
        %3 = call dist.isend(x, r'6)
        push %0 <- %3
        forget %3 (statement)
        goto b1
    ");
}

#[test]
fn comprehensions_of_other_sorts() {
    insta::assert_snapshot!(ir(r"
def f(g, xs):
    a = {k: g(v) for k, v in xs}
    b = {y for x in xs for y in x}
    return a, b
"), @r"
    function f(g, xs)
    b0:
        %0 = dict {}
        %1 = iterate xs
        goto b1
    b1: loop of b1 b3
        next %2 of %1 then b3 else b2
    b2:
        forget %1 (statement)
        forget v (scope)
        forget k (scope)
        a = %0
        forget %0 (statement)
        %4 = set {}
        %5 = iterate xs
        goto b4
    b3:
        unpack k, v = %2
        forget %2 (statement)
        %3 = call g(v)
        %0[k] = %3
        forget %3 (statement)
        goto b1
    b4: loop of b4 b6 b7 b8 b9
        next x of %5 then b6 else b5
    b5:
        forget %5 (statement)
        forget x (scope)
        forget y (scope)
        b = %4
        forget %4 (statement)
        %7 = tuple (a, b)
        return %7
    b6:
        %6 = iterate x
        goto b7
    b7: loop of b7 b9
        next y of %6 then b9 else b8
    b8:
        forget %6 (statement)
        goto b4
    b9:
        push %4 <- y
        goto b7
    ");
}

#[test]
fn a_generator_expression_that_is_consumed() {
    insta::assert_snapshot!(ir(r"
def f(reqs):
    all(r.wait() for r in reqs)
"), @r"
    function f(reqs)
    b0:
        %0 = global all
        %1 = list []
        %2 = iterate reqs
        goto b1
    b1: loop of b1 b3
        next r of %2 then b3 else b2
    b2:
        forget %2 (statement)
        forget r (scope)
        %4 = call %0(%1)
        forget %0 (statement)
        forget %1 (statement)
        forget %4 (statement)
        return None
    b3:
        %3 = call r.wait()
        push %1 <- %3
        forget %3 (statement)
        goto b1
    ");
}

#[test]
fn generator_expressions_that_nothing_consumes() {
    insta::assert_snapshot!(ir(r"
def f(reqs):
    (r.wait() for r in reqs)
    waits = (r.wait() for r in reqs)
"), @r"
    function f(reqs)
    b0:
        unconsumed f2
        %0 = generator ()
        forget %0 (statement)
        unconsumed f3
        %1 = generator ()
        waits = %1
        forget %1 (statement)
        return None

    function <genexpr>() Lambda as Generator captures reqs=0
    b0:
        %0 = iterate reqs
        goto b1
    b1: loop of b1 b3
        next r of %0 then b3 else b2
    b2:
        forget %0 (statement)
        forget r (scope)
        return None
    b3:
        %1 = call r.wait()
        %2 = yield %1
        forget %1 (statement)
        forget %2 (statement)
        goto b1

    function <genexpr>() Lambda as Generator captures reqs=0
    b0:
        %0 = iterate reqs
        goto b1
    b1: loop of b1 b3
        next r of %0 then b3 else b2
    b2:
        forget %0 (statement)
        forget r (scope)
        return None
    b3:
        %1 = call r.wait()
        %2 = yield %1
        forget %1 (statement)
        forget %2 (statement)
        goto b1
    ");
}
