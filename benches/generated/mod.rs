//! Programs and trees that are generated: for benchmarks, and for tests of what is large or strange.

#![allow(dead_code, reason = "each target uses some of them")]

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

/// A tree of packages with ten modules each, of which one in `every` communicates.
pub(crate) fn tree(folder: &Path, files: usize, every: usize) -> io::Result<()> {
    for file in 0..files {
        let package = folder.join(format!("package{:03}", file / 10));
        fs::create_dir_all(&package)?;
        let name = if file % 10 == 0 { "__init__.py".to_owned() } else { format!("module{file}.py") };
        let text = if file % every == every / 2 { speaking(20) } else { plain(40) };
        fs::write(package.join(name), text)?;
    }
    Ok(())
}

/// A module that does not communicate, with so many functions.
pub(crate) fn plain(functions: usize) -> String {
    let mut text = "\"\"\"A module that computes.\"\"\"\n\nimport math\nimport os\n\n".to_owned();
    for index in 0..functions {
        write_in(
            &mut text,
            &format!(
                "\ndef function{index}(values, scale=1.0, *, strict=False):\n    \"\"\"Adds scaled values.\n\n    Raises ValueError where one is negative.\n    \"\"\"\n    total = 0.0\n    for position, value in enumerate(values):\n        if strict and value < 0:\n            raise ValueError(f\"value {{position}} is negative: {{value}}\")\n        total += math.sqrt(abs(value)) * scale\n    return os.path.join(\"results\", str(total))\n"
            ),
        );
    }
    text
}

/// A module with so many functions that communicate, and as many that do not.
pub(crate) fn speaking(functions: usize) -> String {
    let mut text = "import torch\nimport torch.distributed as dist\n\n".to_owned();
    for index in 0..functions {
        write_in(
            &mut text,
            &format!(
                "\ndef exchange{index}(tensor, left, right, overlap):\n    requests = []\n    received = torch.empty_like(tensor)\n    if overlap:\n        requests.append(dist.isend(tensor, right))\n        requests.append(dist.irecv(received, left))\n    else:\n        dist.all_reduce(tensor)\n    total = compute{index}(tensor)\n    for request in requests:\n        request.wait()\n    return total + received.sum()\n\n\ndef compute{index}(tensor):\n    scaled = tensor * 2\n    if scaled.dim() > 1:\n        scaled = scaled.view(-1)\n    return scaled.sum()\n"
            ),
        );
    }
    text
}

/// One function with so many branches, of which the first starts and the last finishes.
pub(crate) fn branches(count: usize) -> String {
    let mut text = HEAD.to_owned() + "def f(x, flags):\n    h = dist.isend(x, 1)\n    n = 0\n";
    for index in 0..count {
        write_in(&mut text, &format!("    if flags[{index}]:\n        n += {index}\n"));
    }
    text + "    h.wait()\n    return n\n"
}

/// A chain of so many comparisons of one value.
pub(crate) fn comparisons(count: usize) -> String {
    let mut text = HEAD.to_owned() + "def f(x):\n    h = dist.isend(x, 1)\n    if x == 0:\n        pass\n";
    for index in 1..count {
        write_in(&mut text, &format!("    elif x == {index}:\n        y = {index}\n"));
    }
    text + "    h.wait()\n"
}

/// One function with so many branches that each start something on one of two ways.
pub(crate) fn conditional_starts(count: usize) -> String {
    let mut text = HEAD.to_owned() + "def f(x, flags):\n";
    for index in 0..count {
        write_in(
            &mut text,
            &format!(
                "    h{index} = None\n    if flags[{index}]:\n        h{index} = dist.isend(x, {index})\n"
            ),
        );
    }
    for index in 0..count {
        write_in(&mut text, &format!("    if h{index} is not None:\n        h{index}.wait()\n"));
    }
    text
}

/// So many handles in one scope.
pub(crate) fn handles(count: usize) -> String {
    let mut text = HEAD.to_owned() + "def f(x):\n";
    (0..count).for_each(|index| write_in(&mut text, &format!("    h{index} = dist.isend(x, {index})\n")));
    (0..count).for_each(|index| write_in(&mut text, &format!("    h{index}.wait()\n")));
    text
}

/// A chain of so many wrappers around one start, and a caller of the last that throws the handle away.
pub(crate) fn wrappers(count: usize) -> String {
    let mut text = HEAD.to_owned() + "def f0(x):\n    return dist.isend(x, 1)\n\n\n";
    for index in 1..count {
        write_in(&mut text, &format!("def f{index}(x):\n    return f{}(x)\n\n\n", index - 1));
    }
    text + &format!("def g(x):\n    f{}(x)\n", count.saturating_sub(1))
}

/// The same chain with the callers above what they call.
pub(crate) fn wrappers_upside_down(count: usize) -> String {
    let mut text = HEAD.to_owned() + &format!("def g(x):\n    f{}(x)\n\n\n", count.saturating_sub(1));
    for index in (1..count).rev() {
        write_in(&mut text, &format!("def f{index}(x):\n    return f{}(x)\n\n\n", index - 1));
    }
    text + "def f0(x):\n    return dist.isend(x, 1)\n"
}

/// A dictionary of so many entries, beside a start that is thrown away.
pub(crate) fn dictionary(entries: usize) -> String {
    let mut text = HEAD.to_owned() + "TABLE = {\n";
    for index in 0..entries {
        write_in(&mut text, &format!("    \"key{index}\": [{index}, \"value {index}\", None],\n"));
    }
    text + "}\n\n\ndef f(x):\n    dist.isend(x, 1)\n"
}

/// So many lines of plain calls and assignments in functions of a hundred lines.
pub(crate) fn long(lines: usize) -> String {
    let mut text = HEAD.to_owned();
    for function in 0..lines / 100 {
        write_in(&mut text, &format!("def f{function}(x):\n    h = dist.isend(x, {function})\n"));
        for line in 0..95 {
            write_in(&mut text, &format!("    a{line} = x.method{line}(x, key={line}) + {line}\n"));
        }
        text.push_str("    h.wait()\n    return a0\n\n");
    }
    text
}

/// All lines in one function.
pub(crate) fn long_function(lines: usize) -> String {
    let mut text = HEAD.to_owned() + "def f(x):\n    h = dist.isend(x, 1)\n";
    for line in 0..lines {
        write_in(&mut text, &format!("    a{line} = x.method{line}(x, key={line}) + {line}\n"));
    }
    text + "    h.wait()\n"
}

/// All lines at the top level.
pub(crate) fn long_script(lines: usize) -> String {
    let mut text = HEAD.to_owned() + "x = load()\nh = dist.isend(x, 1)\n";
    for line in 0..lines {
        write_in(&mut text, &format!("a{line} = x.method{line}(x, key={line}) + {line}\n"));
    }
    text + "h.wait()\n"
}

/// Statements nested so deeply.
pub(crate) fn nested(depth: usize) -> String {
    let mut text = HEAD.to_owned() + "def f(x):\n    h = dist.isend(x, 1)\n";
    for level in 0..depth {
        write_in(&mut text, &format!("{}if x > {level}:\n", " ".repeat(4 + level)));
    }
    text + &" ".repeat(4 + depth) + "h.wait()\n"
}

/// An expression nested so deeply.
pub(crate) fn nested_expression(depth: usize) -> String {
    HEAD.to_owned()
        + &format!("def f(x):\n    y = {}x{}\n    dist.isend(y, 1)\n", "(".repeat(depth), ",)".repeat(depth))
}

/// So many loops one after another, each with a start and a wait.
pub(crate) fn loops(count: usize) -> String {
    let mut text = HEAD.to_owned() + "def f(x, n):\n";
    for index in 0..count {
        write_in(
            &mut text,
            &format!(
                "    pending = []\n    for i{index} in range(n):\n        pending.append(dist.isend(x, i{index}))\n    for h in pending:\n        h.wait()\n"
            ),
        );
    }
    text
}

/// A class with so many methods that keep handles in attributes.
pub(crate) fn methods(count: usize) -> String {
    let mut text = HEAD.to_owned() + "class Sender:\n    def __init__(self):\n        self.open = {}\n\n";
    for index in 0..count {
        write_in(
            &mut text,
            &format!(
                "    def send{index}(self, x):\n        self.h{index} = dist.isend(x, {index})\n\n    def wait{index}(self):\n        self.h{index}.wait()\n\n"
            ),
        );
    }
    text
}

const HEAD: &str = "import torch.distributed as dist\n\n\n";

fn write_in(text: &mut String, more: &str) {
    // Writing to a string cannot fail.
    let _ = text.write_str(more);
}
