//! Programs that are large or strange: the mistake in them is found, nothing else is, and they come to an end.
//!
//! How long they take is measured by `cargo bench --bench check`; here a program of a size whose square no test could wait
//! for is enough.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../benches/generated/mod.rs"]
mod generated;

use unwaited::project::{self, Input, Options, Silent};

/// What is found in a text: rule and row.
fn found(text: String) -> Vec<(String, u32)> {
    let input = Input::Text { bytes: text.into_bytes(), name: None };
    let outcome = project::check(input, &Options::default(), &Silent).unwrap();
    let findings = |report: &project::FileReport| {
        let row = |at: u32| report.source.as_ref().map_or(0, |source| source.position(at).row);
        let told =
            |finding: &unwaited::rules::Finding| (finding.rule.to_owned(), row(finding.primary.span.start));
        report.findings.iter().map(told).collect::<Vec<_>>()
    };
    outcome.reports.iter().flat_map(findings).collect()
}

const NOTHING: [(String, u32); 0] = [];

fn discarded(row: u32) -> Vec<(String, u32)> {
    vec![("discarded-handle".to_owned(), row)]
}

#[test]
fn five_thousand_branches_in_one_function() {
    assert_eq!(found(generated::branches(5000)), NOTHING);
}

#[test]
fn a_chain_of_five_thousand_comparisons() {
    assert_eq!(found(generated::comparisons(5000)), NOTHING);
}

#[test]
fn a_hundred_handles_that_depend_on_conditions_of_their_own() {
    assert_eq!(found(generated::conditional_starts(100)), NOTHING);
}

#[test]
fn a_thousand_handles_in_one_scope() {
    assert_eq!(found(generated::handles(1000)), NOTHING);
}

#[test]
fn a_chain_of_ten_thousand_wrappers() {
    assert_eq!(found(generated::wrappers(10_000)), discarded(40_005));
}

#[test]
fn a_chain_of_ten_thousand_wrappers_whose_callers_come_first() {
    assert_eq!(found(generated::wrappers_upside_down(10_000)), discarded(5));
}

#[test]
fn a_dictionary_of_ten_megabytes() {
    let text = generated::dictionary(250_000);
    assert!(text.len() > 9_500_000, "{}", text.len());
    assert_eq!(found(text), discarded(250_009));
}

#[test]
fn fifty_thousand_lines_in_functions_of_a_hundred() {
    assert_eq!(found(generated::long(50_000)), NOTHING);
}

#[test]
fn fifty_thousand_lines_in_one_function() {
    assert_eq!(found(generated::long_function(50_000)), NOTHING);
}

#[test]
fn fifty_thousand_lines_at_the_top_level() {
    assert_eq!(found(generated::long_script(50_000)), NOTHING);
}

#[test]
fn two_hundred_loops_that_collect_and_drain() {
    assert_eq!(found(generated::loops(200)), NOTHING);
}

#[test]
fn a_thousand_methods_that_keep_handles() {
    assert_eq!(found(generated::methods(1000)), NOTHING);
}

#[test]
fn ninety_nested_conditions() {
    let text = generated::nested(90);
    assert_eq!(found(text), [("unwaited-handle".to_owned(), 5)]);
}

#[test]
fn an_expression_that_is_nested_twenty_thousand_levels_deep() {
    let rules: Vec<String> = found(generated::nested_expression(20_000)).into_iter().map(|it| it.0).collect();
    assert_eq!(rules, ["syntax-error", "discarded-handle"]);
}
