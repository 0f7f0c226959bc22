//! Functions, closures, classes and imports. Each test shows a program and what it is lowered to.

mod frontend;

use frontend::ir;

#[test]
fn parameters_of_every_sort() {
    insta::assert_snapshot!(ir(r"
def f(a, /, b=1, *rest, c, d=g(), **more): pass
"), @r"
    function <module>() TopLevel
    b0:
        %0 = global g
        %1 = call %0()
        escape %1
        forget %0 (statement)
        forget %1 (statement)
        return None

    function f(a, b=1, *rest, c, d=?, **more)
    b0:
        return None
    ");
}

#[test]
fn a_closure_captures_by_reference() {
    insta::assert_snapshot!(ir(r"
def f(req):
    def later():
        nonlocal req
        req.wait()
        req = None
        return lambda: req
    return later
"), @r"
    function f(req)
    b0:
        %0 = closure f2
        later = %0
        forget %0 (statement)
        return later

    function f.later() captures req=0
    b0:
        %0 = call req.wait()
        forget %0 (statement)
        req = None
        %1 = closure f3
        return %1

    function <lambda>() Lambda captures req=0
    b0:
        return req
    ");
}

#[test]
fn generators_and_coroutines() {
    insta::assert_snapshot!(ir(r"
def f(xs):
    got = yield 1
    yield from xs
async def g(x):
    async with x as y:
        await y
    async for z in x:
        yield z
async def h(x):
    return await x
"), @r"
    function f(xs) as Generator
    b0:
        %0 = yield 1
        got = %0
        forget %0 (statement)
        %1 = iterate xs
        goto b1
    b1: loop of b1 b3
        next %2 of %1 then b3 else b2
    b2:
        %4 = yield from (xs)
        forget %1 (statement)
        forget %4 (statement)
        return None
    b3:
        %3 = yield %2
        forget %3 (statement)
        forget %2 (statement)
        goto b1

    function g(x) as Generator
    b0:
        y = enter x
        %0 = await y
        forget %0 (statement)
        leave x
        %1 = iterate x
        goto b1
    b1: loop of b1 b3
        next z of %1 then b3 else b2
    b2:
        forget %1 (statement)
        return None
    b3:
        %2 = yield z
        forget %2 (statement)
        goto b1

    function h(x) as Coroutine
    b0:
        %0 = await x
        return %0
    ");
}

#[test]
fn decorators() {
    insta::assert_snapshot!(ir(r"
import contextlib, functools
@contextlib.contextmanager
def f():
    yield
@functools.wraps(f)
def g(): pass
@retry(3)
def h(): pass
"), @r"
    function <module>() TopLevel
    b0:
        %0 = global contextlib
        %1 = field %0.contextmanager
        forget %0 (statement)
        forget %1 (statement)
        %2 = global functools
        %3 = global f
        %4 = call %2.wraps(%3)
        forget %2 (statement)
        forget %3 (statement)
        forget %4 (statement)
        %5 = global retry
        %6 = call %5(3)
        forget %5 (statement)
        forget %6 (statement)
        return None

    function f() as Manager
    b0:
        %0 = yield None
        forget %0 (statement)
        return None

    function g()
    b0:
        return None

    function h() opaque
    b0:
        return None
    ");
}

#[test]
fn a_class_and_its_methods() {
    insta::assert_snapshot!(ir(r"
from mpi4py import MPI
class C(MPI.Comm):
    size = MPI.X
    def send(self, c: 'MPI.Comm | None' = None): pass
    @staticmethod
    def free(x): pass
    @classmethod
    def make(cls): pass
    @property
    def req(self): return self._req
    @req.setter
    def req(self, x): self._req = x
"), @r"
    function <module>() TopLevel
    b0:
        %0 = global MPI
        %1 = field %0.Comm
        forget %0 (statement)
        forget %1 (statement)
        %2 = global MPI
        %3 = field %2.X
        C.size = %3
        forget %2 (statement)
        forget %3 (statement)
        %4 = global staticmethod
        forget %4 (statement)
        %5 = global classmethod
        forget %5 (statement)
        %6 = global property
        forget %6 (statement)
        %7 = field req.setter
        forget %7 (statement)
        escape C.size
        return None

    function C.send(self, c=None) Method
    b0:
        return None

    function C.free(x) Static
    b0:
        return None

    function C.make(cls) ClassMethod
    b0:
        return None

    function C.req(self) Property
    b0:
        %0 = field self._req
        return %0

    function C.req(self, x) Method
    b0:
        self._req = x
        return None
    ");
}

#[test]
fn a_class_inside_a_function() {
    insta::assert_snapshot!(ir(r"
def f(x):
    class D:
        y = x
        def get(self): return x
    return D()
"), @r"
    function f(x)
    b0:
        f.D.y = x
        %0 = closure f2
        escape %0
        forget %0 (statement)
        escape f.D.y
        %1 = class ()
        D = %1
        forget %1 (statement)
        %2 = call D()
        return %2

    function f.D.get(self) Method captures x=0
    b0:
        return x
    ");
}

#[test]
fn an_import_inside_a_function() {
    insta::assert_snapshot!(ir(r"
def f():
    import a.b
    import a.b as c
    from a import d as e
    return c.x
"), @r"
    function f()
    b0:
        a = import a
        c = import a.b
        e = import a.d
        %0 = field c.x
        return %0
    ");
}

#[test]
fn names_of_newer_syntax() {
    insta::assert_snapshot!(ir(r"
type Pair[T] = tuple[T, T]
def f[T: int](x: T) -> T:
    return x
class C[T]: pass
"), @r"
    function <module>() TopLevel
    b0:
        %0 = type ()
        global Pair = %0
        forget %0 (statement)
        return None

    function f(x)
    b0:
        return x
    ");
}
