//! Statements: temporaries are forgotten where their statement ends. Each test shows a program and what it is lowered to.

mod frontend;

use frontend::ir;

#[test]
fn a_call_whose_result_is_dropped() {
    insta::assert_snapshot!(ir(r"
def f(dist, x):
    dist.isend(x, dst=1)
"), @r"
    function f(dist, x)
    b0:
        %0 = call dist.isend(x, dst=1)
        forget %0 (statement)
        return None
    ");
}

#[test]
fn a_result_bound_to_a_name() {
    insta::assert_snapshot!(ir(r"
def f(dist, x):
    handle = dist.isend(x)
    _ = other = handle
"), @r"
    function f(dist, x)
    b0:
        %0 = call dist.isend(x)
        handle = %0
        forget %0 (statement)
        _ = handle
        other = handle
        return None
    ");
}

#[test]
fn targets_of_every_sort() {
    insta::assert_snapshot!(ir(r"
def f(g, o):
    a, (b, *c), o.x, o[0] = g()
    [d] = a
"), @r"
    function f(g, o)
    b0:
        %0 = call g()
        unpack a, %1, %2, %3 = %0
        unpack b, c (star 1) = %1
        o.x = %2
        o[0] = %3
        forget %0 (statement)
        forget %1 (statement)
        forget %2 (statement)
        forget %3 (statement)
        unpack d = a
        return None
    ");
}

#[test]
fn updates_and_deletions() {
    insta::assert_snapshot!(ir(r"
def f(a, o):
    a += 1
    o.x |= a
    o[a] -= 2
    del a, o.x, (o[0], o[1:])
"), @r"
    function f(a, o)
    b0:
        update a += 1
        update o.x |= a
        update o[a] -= 2
        forget a (delete)
        drop o.x
        drop o[0]
        drop o[1:]
        return None
    ");
}

#[test]
fn annotated_names() {
    insta::assert_snapshot!(ir(r"
def f(g):
    a: int = g()
    b: int
    return b
"), @r"
    function f(g)
    b0:
        %0 = call g()
        a = %0
        forget %0 (statement)
        return b
    ");
}

#[test]
fn names_of_the_top_level() {
    insta::assert_snapshot!(ir(r"
import torch.distributed as dist
x = 1
x += 2
del x
def f():
    global x
    x = dist.y
"), @r"
    function <module>() TopLevel
    b0:
        global x = 1
        update global x += 2
        global x = None
        return None

    function f()
    b0:
        %0 = global dist
        %1 = field %0.y
        global x = %1
        forget %0 (statement)
        forget %1 (statement)
        return None
    ");
}

#[test]
fn what_follows_a_return() {
    insta::assert_snapshot!(ir(r"
def f(g):
    return g(1).x
    g(2)
"), @r"
    function f(g)
    b0:
        %0 = call g(1)
        %1 = field %0.x
        forget %0 (statement)
        return %1
    b1:
        %2 = call g(2)
        forget %2 (statement)
        return None
    ");
}

#[test]
fn an_assertion() {
    insta::assert_snapshot!(ir(r"
def f(g, x):
    assert x is not None, g(x)
    g()
"), @r"
    function f(g, x)
    b0:
        %0 = is not (x, None)
        if %0 then b1 else b2
    b1:
        forget %0 (statement)
        %2 = call g()
        forget %2 (statement)
        return None
    b2:
        forget %0 (statement)
        %1 = call g(x)
        forget %1 (statement)
        raise
    ");
}
