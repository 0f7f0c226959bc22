//! What a lowered file says beside its functions: globals, imports, names read, classes, kinds and types.

use unwaited::frontend::{ModuleName, python::lower};
use unwaited::ir::{Flavour, Function, FunctionKind, Global, TypeRef, Unit};

fn unit_of(text: &str, module: &str, package: bool) -> Unit {
    let lowered = lower(text, &ModuleName { dotted: module.to_owned(), package });
    assert!(lowered.problems.is_empty(), "{:?}", lowered.problems);
    assert_eq!(lowered.unit.faults(), Vec::<String>::new());
    lowered.unit
}

fn unit(text: &str) -> Unit {
    unit_of(text, "pkg.sub.mod", false)
}

fn import(unit: &Unit, name: &str) -> Option<String> {
    match unit.globals.get(name)? {
        Global::Import(path) => Some(path.clone()),
        other => panic!("{name} is {other:?}"),
    }
}

fn function<'a>(unit: &'a Unit, name: &str) -> &'a Function {
    let found = unit.functions.iter().find(|it| it.name == name);
    found.unwrap_or_else(|| panic!("there is no function {name}"))
}

#[test]
fn imports_of_every_form() {
    let unit = unit("import a.b\nimport a.c as d\nfrom e.f import g, h as i\nfrom j import *\n");
    assert_eq!(import(&unit, "a"), Some("a".to_owned()));
    assert_eq!(import(&unit, "d"), Some("a.c".to_owned()));
    assert_eq!(import(&unit, "g"), Some("e.f.g".to_owned()));
    assert_eq!(import(&unit, "i"), Some("e.f.h".to_owned()));
    for name in ["a.b", "a.c", "e.f", "e.f.g", "e.f.h", "j"] {
        assert!(unit.imports.contains(name), "{name} is not in {:?}", unit.imports);
    }
}

#[test]
fn relative_imports_start_at_the_module() {
    let text = "from . import a\nfrom .b import c\nfrom ..d import e\nfrom .... import f\n";
    let paths = |unit: &Unit| ["a", "c", "e", "f"].map(|it| import(unit, it).unwrap());
    assert_eq!(paths(&unit(text)), ["pkg.sub.a", "pkg.sub.b.c", "pkg.d.e", "..f"]);
    assert_eq!(paths(&unit_of(text, "pkg.sub", true)), ["pkg.sub.a", "pkg.sub.b.c", "pkg.d.e", "..f"]);
    assert_eq!(paths(&unit_of(text, "", false)), ["..a", ".b.c", ".d.e", "..f"]);
}

#[test]
fn an_import_with_a_stand_in_is_the_import() {
    let unit = unit(
        "try:\n    import a.x as a\nexcept ImportError:\n    a = None\n\
         try:\n    from b import c\nexcept ImportError:\n    def c(): pass\n\
         try:\n    import d.new as d\nexcept ImportError:\n    import d.old as d\n\
         if a:\n    from e import f\nelse:\n    f = None\n",
    );
    let paths = ["a", "c", "d", "f"].map(|it| import(&unit, it).unwrap());
    assert_eq!(paths, ["a.x", "b.c", "d.new", "e.f"]);
}

#[test]
fn what_the_names_of_the_top_level_stand_for() {
    let unit = unit(
        "import m\nonce = m.x\ntwice = 1\ntwice = 2\nfor turn in m: pass\nchanged = 1\n\
         def f():\n    global changed, hidden\n    changed = hidden = 2\n\
         def g(): pass\ndef g(): pass\nclass C: pass\nm = None\n",
    );
    let globals = |name: &str| unit.globals.get(name).unwrap().clone();
    assert_eq!(globals("m"), Global::Import("m".to_owned()));
    assert_eq!(globals("once"), Global::Once);
    for name in ["twice", "turn", "changed", "hidden", "g"] {
        assert_eq!(globals(name), Global::Several, "{name}");
    }
    assert!(matches!(globals("f"), Global::Function(id) if unit.function(id).name == "f"));
    assert!(matches!(globals("C"), Global::Class(id) if unit.class(id).name == "C"));
}

#[test]
fn a_function_with_overloads_is_defined_once() {
    let unit = unit("@overload\ndef f(a): ...\n@typing.overload\ndef f(a, b): ...\ndef f(*a): return a\n");
    let Some(Global::Function(id)) = unit.globals.get("f") else { panic!("{:?}", unit.globals) };
    assert_eq!(unit.function(*id).parameters.len(), 1);
    assert_eq!(unit.function(*id).parameters[0].name, "a");
}

#[test]
fn names_that_are_read() {
    let unit = unit(
        "def f(o, local):\n    o.stored = o.loaded\n    o.both += 1\n    del o.deleted\n    getattr(o, 'asked')\n    \
         operator.attrgetter('deep.path')\n    return known + local\nmatch f:\n    case C(matched=x): pass\n",
    );
    for name in ["loaded", "both", "asked", "deep", "path", "known", "matched", "operator"] {
        assert!(unit.names_read.contains(name), "{name} is not in {:?}", unit.names_read);
    }
    for name in ["stored", "deleted", "local"] {
        assert!(!unit.names_read.contains(name), "{name}");
    }
}

#[test]
fn reads_and_captures_of_locals() {
    let unit =
        unit("def f(x):\n    _ = x\n    y = x\n    y += 1\n    z = 1\n    del z\n    return lambda: y\n");
    let function = function(&unit, "f");
    let counts: Vec<_> = function.locals.iter().filter(|it| !it.name.is_empty()).collect();
    let counts: Vec<_> = counts.iter().map(|it| (it.name.as_str(), it.reads, it.captured)).collect();
    assert_eq!(counts, [("x", 2, false), ("_", 0, false), ("y", 1, true), ("z", 0, false)]);
}

#[test]
fn a_name_of_a_class_body_is_not_seen_by_its_methods() {
    let unit = unit("def f(x):\n    class C:\n        x = 1\n        def g(self): return x\n    return C\n");
    let method = function(&unit, "f.C.g");
    assert_eq!(method.captures.len(), 1);
    let (_, outer) = method.captures[0];
    assert_eq!(function(&unit, "f").locals[outer.0 as usize].name, "x");
}

#[test]
fn classes_and_their_methods() {
    let unit = unit(
        "import abc\nfrom mpi4py import MPI\nclass Base(abc.ABC):\n    size = 1\n    names: list\n    def a(self): pass\n    \
         def b(self): pass\n    def b(self): pass\n    @property\n    def c(self): pass\n    @c.setter\n    def c(self, x): pass\n    \
         @overload\n    def d(self): ...\n    def d(self, x): pass\n    e = a\nclass Derived(Base, Unknown, MPI.Comm): pass\n",
    );
    let [base, derived] = unit.classes.as_slice() else { panic!("{:?}", unit.classes) };
    assert_eq!(base.methods.keys().collect::<Vec<_>>(), ["a", "c", "d"]);
    assert_eq!(base.members.iter().collect::<Vec<_>>(), ["a", "b", "c", "d", "e", "names", "size"]);
    assert_eq!(unit.function(base.methods["c"]).kind, FunctionKind::Property);
    assert_eq!(unit.function(base.methods["d"]).parameters.len(), 2);
    assert!(matches!(&base.bases[..], [TypeRef::Path(path)] if path == "abc.ABC"));
    let [TypeRef::Class(id), TypeRef::Unknown, TypeRef::Path(path)] = &derived.bases[..] else {
        panic!("{:?}", derived.bases)
    };
    assert_eq!((unit.class(*id).name.as_str(), path.as_str()), ("Base", "mpi4py.MPI.Comm"));
}

#[test]
fn records_and_their_fields() {
    let unit = unit(
        "@dataclass\nclass A:\n    x: int\n    y: int = 0\n    z: ClassVar[int] = 1\n    w: int = field(init=False)\n\
         class B(typing.NamedTuple):\n    req: Work\nclass C:\n    x: int\n",
    );
    let fields: Vec<_> = unit.classes.iter().map(|it| it.record_fields.clone()).collect();
    assert_eq!(fields, [Some(vec!["x".to_owned(), "y".to_owned()]), Some(vec!["req".to_owned()]), None]);
}

#[test]
fn types_of_parameters() {
    let unit = unit(
        "from mpi4py import MPI\nfrom typing import Optional\nclass C: pass\n\
         def f(a: MPI.Comm, b: 'MPI.Comm', c: Optional[MPI.Comm], d: MPI.Comm | None, e: C, f: list[C], g: int, h): pass\n",
    );
    let types: Vec<_> = function(&unit, "f").parameters.iter().map(|it| it.annotation.clone()).collect();
    let comm = TypeRef::Path("mpi4py.MPI.Comm".to_owned());
    let class = TypeRef::Class(unwaited::ir::ClassId(0));
    let unknown = TypeRef::Unknown;
    let expected =
        [comm.clone(), comm.clone(), comm.clone(), comm, class, unknown.clone(), unknown.clone(), unknown];
    assert_eq!(types, expected);
}

#[test]
fn decorators_that_hide_what_a_caller_gets() {
    let unit = unit(
        "@torch.no_grad()\ndef a(): pass\n@functools.lru_cache(maxsize=None)\ndef b(): pass\n@retry\ndef c(): pass\n\
         @contextlib.contextmanager\ndef d():\n    yield\n@pytest.mark.parametrize('x', [1])\ndef e(x): pass\n\
         @torch.jit.ignore\ndef f(): pass\n@instrument_w_nvtx\ndef g(): pass\n@ignore\ndef h(): pass\n",
    );
    let opaque: Vec<_> = unit.functions.iter().filter(|it| it.opaque).map(|it| it.name.as_str()).collect();
    assert_eq!(opaque, ["c", "h"]);
    assert_eq!(function(&unit, "d").flavour, Flavour::Manager);
}

#[test]
fn an_empty_file_has_a_top_level() {
    for text in ["", "\u{feff}", "# nothing\n", "\\"] {
        let lowered = lower(text, &ModuleName::default());
        assert_eq!(lowered.unit.functions.len(), 1);
        assert_eq!(lowered.unit.functions[0].kind, FunctionKind::TopLevel);
    }
}
