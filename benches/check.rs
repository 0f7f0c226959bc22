//! How long generated trees and programs take: `cargo bench --bench check`.

#[path = "generated/mod.rs"]
mod generated;

use std::hint::black_box;
use std::path::Path;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use unwaited::catalog::Catalog;
use unwaited::flow;
use unwaited::frontend::{self, ModuleName};
use unwaited::project::{self, Input, Options, Silent};
use unwaited::source::Language;

/// Trees of which no file, or one in twenty, communicates.
fn trees(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("tree");
    for (name, every) in [("plain", usize::MAX), ("mixed", 20)] {
        for files in [250, 1000, 4000] {
            let Ok(folder) = tempfile::tempdir() else { continue };
            if generated::tree(folder.path(), files, every).is_err() {
                continue;
            }
            group.throughput(Throughput::Elements(files as u64));
            group.bench_with_input(BenchmarkId::new(name, files), folder.path(), |bench, folder| {
                bench.iter(|| check(folder));
            });
        }
    }
    group.finish();
}

/// A name, what makes a program of a size, and the smallest size.
type Shape = (&'static str, fn(usize) -> String, usize);

/// Programs of one shape in growing sizes: the time for an element must not grow with their number.
fn shapes(criterion: &mut Criterion) {
    let shapes: [Shape; 11] = [
        ("speaking", generated::speaking, 100),
        ("branches", generated::branches, 1000),
        ("comparisons", generated::comparisons, 1000),
        ("conditional_starts", generated::conditional_starts, 100),
        ("handles", generated::handles, 250),
        ("wrappers", generated::wrappers, 1000),
        ("dictionary", generated::dictionary, 10_000),
        ("long", generated::long, 5000),
        ("long_script", generated::long_script, 5000),
        ("long_function", generated::long_function, 5000),
        ("loops", generated::loops, 100),
    ];
    let mut group = criterion.benchmark_group("shape");
    for (name, make, smallest) in shapes {
        for size in [smallest, 4 * smallest] {
            let text = make(size);
            group.throughput(Throughput::Elements(size as u64));
            group.bench_with_input(BenchmarkId::new(name, size), &text, |bench, text| {
                bench.iter(|| analyse(text));
            });
        }
    }
    group.finish();
}

fn check(folder: &Path) {
    drop(black_box(project::check(Input::Paths(vec![folder.to_owned()]), &Options::default(), &Silent)));
}

fn analyse(text: &str) {
    let lowered = frontend::python::lower(text, &ModuleName::default());
    let catalog = Catalog::built_in(Language::Python);
    black_box(flow::analyse(lowered.unit, catalog, &flow::Settings::default()));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = trees, shapes
}
criterion_main!(benches);
