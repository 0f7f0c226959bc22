//! No text makes the Python front end panic, overflow its stack, or give a unit that breaks the promises of the IR.
//!
//! The front end takes the stack that it needs, so that these tests run on ordinary threads.

use proptest::prelude::*;
use unwaited::frontend::{Lowered, ModuleName, python::lower};

fn lowered(text: &str) -> Lowered {
    let lowered = lower(text, &ModuleName::default());
    // The check follows every temporary along every way, which for a text of one endless condition is too much.
    let faults = if text.len() < 20_000 { lowered.unit.faults() } else { Vec::new() };
    assert!(faults.is_empty(), "{faults:?} in\n{}", text.chars().take(2000).collect::<String>());
    for problem in &lowered.problems {
        assert!(problem.span.end as usize <= text.len(), "{problem:?} lies outside of the text");
    }
    lowered
}

/// Something before, something in between, something behind, nested `depth` times.
fn nested(depth: usize, open: &str, middle: &str, close: &str) -> String {
    format!("{}{middle}{}\n", open.repeat(depth), close.repeat(depth))
}

#[test]
fn ten_thousand_nested_brackets() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("x[", "]"), ("{1: ", "}"), ("(yield ", ")")]
    {
        lowered(&nested(10_000, open, "x", close));
    }
}

#[test]
fn ten_thousand_unclosed_brackets() {
    for open in ["(", "[", "{", "f(", "x[", "lambda: (", "[x for x in ", "{**"] {
        lowered(&open.repeat(10_000));
    }
}

#[test]
fn ten_thousand_prefixes() {
    let prefixes = [
        "-",
        "~",
        "not ",
        "lambda: ",
        "await ",
        "*",
        "x if y else ",
        "x ** ",
        "(x := ",
        "yield ",
        "f\"{",
        "f'''{",
    ];
    for prefix in prefixes {
        lowered(&nested(10_000, prefix, "x", ""));
        lowered(&format!("if {}", nested(10_000, prefix, "x:\n    pass", "")));
    }
}

#[test]
fn long_chains() {
    let links = [
        " + x",
        " and x",
        " or x",
        " < x",
        ".x",
        "()",
        "[0]",
        ".f()",
        ", x",
        " if x else x",
        " @ x + x",
        " | x",
    ];
    for link in links {
        lowered(&format!("y = x{}\n", link.repeat(100_000)));
        lowered(&format!("while x{}:\n    break\n", link.repeat(20_000)));
    }
}

#[test]
fn a_long_chain_of_operators_is_followed_to_its_end() {
    let found = lowered(&format!("y = x{}\n", " + f(x)".repeat(20_000)));
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let text = found.unit.to_string();
    assert_eq!(text.matches("= call ").count(), 20_000);
}

#[test]
fn a_hundred_thousand_branches_of_one_if() {
    let found = lowered(&format!("if a:\n    f()\n{}", "elif b:\n    g()\n".repeat(100_000)));
    assert!(found.problems.is_empty());
}

#[test]
fn a_display_with_a_hundred_thousand_elements() {
    for text in [
        format!("x = {{{}}}\n", "'a': b, ".repeat(100_000)),
        format!("x = [{}]\n", "f(), ".repeat(100_000)),
        format!("{}= 1\n", "a, ".repeat(100_000)),
        format!("x = {}1\n", "a = ".repeat(100_000)),
        format!("f({})\n", "a=b, ".repeat(50_000)),
        format!("del {}a\n", "a, ".repeat(100_000)),
    ] {
        let found = lowered(&text);
        assert!(found.problems.len() <= 50_000, "{:?}", found.problems.first());
    }
}

#[test]
fn nested_statements() {
    let headers = [
        "if a:",
        "while a:",
        "for a in b:",
        "with a as b:",
        "try:",
        "def f(a):",
        "class C:",
        "async def f():",
        "match a:",
        "case [a]:",
    ];
    for header in headers {
        let lines = (0..400).map(|depth| format!("{}{header}\n", " ".repeat(depth))).collect::<String>();
        lowered(&lines);
        lowered(&format!("{lines}{}return f(x)\n", " ".repeat(400)));
    }
}

#[test]
fn many_ways_out_of_nested_finally_blocks() {
    let mut text = String::from("def f(a):\n");
    for depth in 1..40 {
        text += &format!("{}try:\n", " ".repeat(depth));
    }
    text += &format!("{}return 1\n", " ".repeat(40));
    for depth in (1..40).rev() {
        text +=
            &format!("{0}finally:\n{0} try:\n{0}  return g(a)\n{0} finally:\n{0}  h(a)\n", " ".repeat(depth));
    }
    let found = lowered(&text);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    assert!(found.unit.to_string().len() < 40_000_000);
}

#[test]
fn finally_blocks_inside_finally_blocks() {
    let mut text = String::from("def f(a):\n");
    for depth in 0..60 {
        let indent = " ".repeat(depth + 1);
        text += &format!("{indent}try:\n{indent} if a: return {depth}\n{indent} g()\n{indent}finally:\n");
    }
    text += &format!("{}h()\n", " ".repeat(62));
    let found = lowered(&text);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    assert!(found.unit.to_string().len() < 40_000_000);
}

#[test]
fn many_returns_out_of_a_long_with() {
    let managers = (0..500).map(|it| format!("m{it}")).collect::<Vec<_>>().join(", ");
    lowered(&format!("def f(a):\n  with {managers}:\n{}", "    if a: return 1\n".repeat(2_000)));
}

#[test]
fn many_nested_lambdas_that_use_many_names() {
    let names = (0..500).map(|it| format!("a{it}")).collect::<Vec<_>>().join(", ");
    lowered(&format!("def f({names}):\n    return {}[{names}]\n", "lambda: ".repeat(3_000)));
}

#[test]
fn many_loops_in_one_comprehension() {
    lowered(&format!("[x {}]\n", "for x in y ".repeat(10_000)));
    lowered(&nested(2_000, "[", "x", " for x in y]"));
}

#[test]
fn nested_patterns() {
    for (open, close) in [("[", "]"), ("{1: ", "}"), ("C(", ")"), ("C(a=", ")"), ("(", ")"), ("a | ", "")] {
        lowered(&format!(
            "match x:\n    case {}:\n        pass\n",
            nested(5_000, open, "_", close).trim_end()
        ));
    }
}

#[test]
fn nested_targets() {
    lowered(&format!("{} = x\n", nested(10_000, "[", "a", "]").trim_end()));
    lowered(&format!("for {} in x:\n    pass\n", nested(10_000, "(", "a, ", ")").trim_end()));
    lowered(&format!("del {}\n", nested(10_000, "(", "a, ", ")").trim_end()));
}

#[test]
fn spans_are_bytes_of_the_given_text() {
    for (before, text) in
        [("\u{feff}", "größe()\n"), ("", "größe()\r\n"), ("\x0c\n", "größe()\n"), ("if x:\n\t", "größe()\n")]
    {
        let text = format!("{before}{text}");
        let found = lowered(&text);
        assert!(found.problems.is_empty());
        let spans =
            found.unit.functions.iter().flat_map(|it| &it.blocks).flat_map(|it| &it.ops).map(|it| it.span);
        let covered: Vec<&str> = spans.map(|it| it.of(&text)).collect();
        assert!(covered.contains(&"größe()"), "{covered:?}");
    }
}

#[test]
fn a_broken_function_does_not_hide_the_others() {
    let found = lowered("def a():\n    return f(\n\ndef b():\n    x = = 1\n\ndef c():\n    return g()\n");
    let names: Vec<&str> = found.unit.functions.iter().map(|it| it.name.as_str()).collect();
    assert!(names.contains(&"b") && names.contains(&"c"), "{names:?}");
    assert!(!found.problems.is_empty());
}

const TOKENS: &[&str] = &[
    "\n",
    "\n",
    "\n    ",
    "\n    ",
    "\n        ",
    "\n  ",
    " ",
    " ",
    "def f(a, *b, c=1, **d):",
    "class C(B):",
    "if ",
    "elif a:",
    "else:",
    "while ",
    "while True:",
    "for a in ",
    "for a, *b in ",
    "async ",
    "await ",
    "with ",
    "with a as b, c:",
    "try:",
    "except:",
    "except E as e:",
    "except* E:",
    "finally:",
    "return ",
    "return",
    "yield ",
    "yield from ",
    "break",
    "continue",
    "raise ",
    "raise E",
    "pass",
    "lambda x: ",
    "global a",
    "nonlocal a",
    "import a.b as c",
    "from . import a",
    "from a import *",
    "match a:",
    "case [a, *_]:",
    "case {'k': v, **r}:",
    "case C(x, y=z):",
    "case 1 | 2:",
    "case _:",
    "assert a, b",
    "del a",
    "del a[0], a.b",
    "type X = int",
    "a",
    "b",
    "c",
    "self.x",
    "a.b",
    "f",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ":=",
    "=",
    "==",
    "+=",
    "+",
    "-",
    "*",
    "**",
    "@",
    "/",
    "%",
    "|",
    "&",
    "<",
    ">=",
    " in ",
    " not in ",
    " is ",
    " is not ",
    " not ",
    " and ",
    " or ",
    " if ",
    " else ",
    "1",
    "-1",
    "0x1f",
    "1.5",
    "1j",
    "None",
    "True",
    "'s'",
    "\"\"\"doc\"\"\"",
    "b'x'",
    "f'{a!r:>{b}}'",
    "t'{a}'",
    "...",
    ".",
    ";",
    "#c",
    "@d\n",
    "->",
    "é",
    "\t",
    "\r\n",
    "\x0c",
    "\\\n",
    "\u{feff}",
    "\0",
    "print(a)",
    "a.append(b)",
    "a.pop()",
    "[x for x in a if x]",
    "(x for x in a)",
    "{k: v for k, v in a}",
    "{*a, *b}",
    "a[1:2]",
    "a[::2, ...]",
    "(a := b)",
];

/// Pieces of programs that are put together to whole ones.
const PIECES: &[&str] = &[
    "x = f(a)",
    "x, (y, *z) = g()",
    "self.x += f(x)",
    "x[i] = y",
    "del x",
    "return x",
    "return f(x) if x else None",
    "break",
    "continue",
    "raise E(x)",
    "raise",
    "assert f(x), g(y)",
    "pass",
    "yield x",
    "y = yield",
    "x = [f(y) for y in x if g(y)]",
    "(r.wait() for r in x)",
    "z = {k: v for k, v in x.items() if not (k and v())}",
    "x = a and f(b) or c",
    "x = a < f(b) < c",
    "global q\nq = f(x)",
    "h = lambda y: y + x",
    "import a.b",
    "print(f'{f(x)!r:{w}}')",
    "x: int = f()",
    "x = y = f()",
    "_ = f()",
    "u = (v := f(x))",
    "await f(x)",
];
const BLOCKS: &[(&str, &[&str])] = &[
    ("if f(x) and not y:", &["elif x < y < g():", "else:"]),
    ("while f(x):", &["else:"]),
    ("while True:", &[]),
    ("for x, y in f():", &["else:"]),
    ("with f(x) as y, g():", &[]),
    ("try:", &["except (E, F) as e:", "except ValueError:", "else:", "finally:"]),
    ("try:", &["finally:"]),
    ("try:", &["except KeyError:"]),
    ("def f(x, y=g()):", &[]),
    ("class C(D):", &[]),
    ("match f(x):\n    case [a, C(b, c=1) as d] if b:", &[]),
    ("match x:\n    case {'k': v, **r} | v:", &[]),
];

#[derive(Clone, Debug)]
enum Piece {
    Line(usize),
    Block(usize, Vec<Vec<Piece>>),
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let line = (0..PIECES.len()).prop_map(Piece::Line);
    let piece = line.prop_recursive(5, 60, 5, |inner| {
        let bodies = prop::collection::vec(prop::collection::vec(inner, 1..4), 5);
        (0..BLOCKS.len(), bodies).prop_map(|(block, bodies)| Piece::Block(block, bodies))
    });
    prop::collection::vec(piece, 1..6)
}

fn write(pieces: &[Piece], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for piece in pieces {
        match piece {
            Piece::Line(index) => {
                for line in PIECES[*index].lines() {
                    *text += &format!("{indent}{line}\n");
                }
            }
            Piece::Block(index, bodies) => {
                let (header, further) = BLOCKS[*index];
                let inner = depth + header.lines().count();
                for (index, line) in header.lines().chain(further.iter().copied()).enumerate() {
                    *text += &format!("{indent}{line}\n");
                    let inside_match = header.starts_with("match") && index == 0;
                    if let (Some(body), false) = (bodies.get(index), inside_match) {
                        write(body, inner, text);
                    }
                }
            }
        }
    }
}

fn program(pieces: &[Piece]) -> String {
    let mut text = String::from("async def outer(a, x, y=None):\n");
    write(pieces, 1, &mut text);
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        lowered(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_tokens(tokens in prop::collection::vec(prop::sample::select(TOKENS), 0..120)) {
        lowered(&tokens.concat());
    }

    #[test]
    fn random_programs(pieces in pieces()) {
        lowered(&program(&pieces));
    }

    #[test]
    fn random_programs_with_a_piece_missing_or_doubled(
        pieces in pieces(), from in 0.0..1.0f64, length in 0usize..40, token in prop::sample::select(TOKENS),
    ) {
        let whole: Vec<char> = program(&pieces).chars().collect();
        let start = (from * whole.len() as f64) as usize;
        let end = (start + length).min(whole.len());
        let [before, cut, after] = [&whole[..start], &whole[start..end], &whole[end..]].map(String::from_iter);
        lowered(&format!("{before}{after}"));
        lowered(&format!("{before}{token}{after}"));
        lowered(&format!("{before}{cut}{cut}{after}"));
    }
}
