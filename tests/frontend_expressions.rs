//! Expressions. Each test shows a program and what it is lowered to.

mod frontend;

use frontend::ir;

#[test]
fn arguments_of_every_sort() {
    insta::assert_snapshot!(ir(r"
def f(g, a):
    g(a, *a, k=a, **a)
"), @r"
    function f(g, a)
    b0:
        %0 = call g(a, *a, k=a, **a)
        forget %0 (statement)
        return None
    ");
}

#[test]
fn methods_of_containers() {
    insta::assert_snapshot!(ir(r"
def f(xs, d):
    xs.append(1); xs.extend(d); xs.pop(); xs.pop(-1)
    d.get('k'); d.setdefault('k', 1); d.items(); d.clear()
"), @r#"
    function f(xs, d)
    b0:
        %0 = call xs.append(1) as Push
        forget %0 (statement)
        %1 = call xs.extend(d) as Extend
        forget %1 (statement)
        %2 = call xs.pop() as Take
        forget %2 (statement)
        %3 = call xs.pop(-1) as TakeKey
        forget %3 (statement)
        %4 = call d.get("k") as Get
        forget %4 (statement)
        %5 = call d.setdefault("k", 1) as SetDefault
        forget %5 (statement)
        %6 = call d.items() as Pairs
        forget %6 (statement)
        %7 = call d.clear() as Clear
        forget %7 (statement)
        return None
    "#);
}

#[test]
fn subscripts() {
    insta::assert_snapshot!(ir(r"
def f(x, i):
    return x[i], x[-1], x[1:], x[:i, ...], x[::2], x[::-1]
"), @r"
    function f(x, i)
    b0:
        %0 = element x[i]
        %1 = element x[-1]
        %2 = element x[1:]
        %3 = slice (i)
        %4 = tuple (%3, ...)
        %5 = element x[%4]
        %6 = slice (2)
        %7 = element x[%6:]
        %8 = element x[:]
        %9 = tuple (%0, %1, %2, %5, %7, %8)
        forget %0 (statement)
        forget %1 (statement)
        forget %2 (statement)
        forget %3 (statement)
        forget %4 (statement)
        forget %5 (statement)
        forget %6 (statement)
        forget %7 (statement)
        forget %8 (statement)
        return %9
    ");
}

#[test]
fn displays() {
    insta::assert_snapshot!(ir(r"
def f(a, b):
    return [a, *b], {a, *b}, {a: b, **b}, (a,)
"), @r"
    function f(a, b)
    b0:
        %0 = list [a, *b]
        %1 = set {a, *b}
        %2 = dict {a: b, *b}
        %3 = tuple (a)
        %4 = tuple (%0, %1, %2, %3)
        forget %0 (statement)
        forget %1 (statement)
        forget %2 (statement)
        forget %3 (statement)
        return %4
    ");
}

#[test]
fn strings_with_values_in_them() {
    insta::assert_snapshot!(ir(r"
def f(a, w):
    return f'{a!r:>{w}}' 'tail', t'{a}', b'raw'
"), @r"
    function f(a, w)
    b0:
        %0 = f-string (a, w)
        %1 = t-string (a)
        %2 = tuple (%0, %1, b'raw')
        forget %0 (statement)
        forget %1 (statement)
        return %2
    ");
}

#[test]
fn operators() {
    insta::assert_snapshot!(ir(r"
def f(a, b):
    return a + b * -1, not a, ~b, 2 ** 70, 1.5
"), @r"
    function f(a, b)
    b0:
        %0 = * (b, -1)
        %1 = + (a, %0)
        %2 = not (a)
        %3 = ~x (b)
        %4 = ** (2, 70)
        %5 = tuple (%1, %2, %3, %4, 1.5)
        forget %0 (statement)
        forget %1 (statement)
        forget %2 (statement)
        forget %3 (statement)
        forget %4 (statement)
        return %5
    ");
}

#[test]
fn a_walrus() {
    insta::assert_snapshot!(ir(r"
def f(g):
    if (x := g()) is not None:
        x.wait()
"), @r"
    function f(g)
    b0:
        %0 = call g()
        x = %0
        %1 = is not (x, None)
        if %1 then b2 else b3
    b1:
        return None
    b2:
        forget %0 (statement)
        forget %1 (statement)
        %2 = call x.wait()
        forget %2 (statement)
        goto b1
    b3:
        forget %0 (statement)
        forget %1 (statement)
        goto b1
    ");
}

#[test]
fn a_lambda() {
    insta::assert_snapshot!(ir(r"
def f(xs, r):
    xs.sort(key=lambda x, d=r.y: x + d + r.z)
"), @r"
    function f(xs, r)
    b0:
        %0 = field r.y
        escape %0
        %1 = closure f2
        %2 = call xs.sort(key=%1) as Reorder
        forget %0 (statement)
        forget %1 (statement)
        forget %2 (statement)
        return None

    function <lambda>(x, d=?) Lambda captures r=1
    b0:
        %0 = + (x, d)
        %1 = field r.z
        %2 = + (%0, %1)
        forget %0 (statement)
        forget %1 (statement)
        return %2
    ");
}
