//! JUnit's XML: a suite for each file, a failed test for each finding; an error where a file could not be checked.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::place::Place;
use super::{printable, printable_lines};
use crate::project::{FileReport, Outcome, is_failure};
use crate::rules::Finding;

pub(super) fn write(outcome: &Outcome, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let reports: Vec<&FileReport> =
        outcome.reports.iter().filter(|report| !report.findings.is_empty()).collect();
    let count = Count::of(reports.iter().copied());
    writer
        .create_element("testsuites")
        .with_attribute(("name", "unwaited"))
        .with_attributes(count.attributes().iter().map(|(key, value)| (*key, value.as_str())))
        .write_inner_content(|writer| {
            if reports.is_empty() {
                return write_passed(writer);
            }
            reports.iter().try_for_each(|report| write_suite(report, writer))
        })?;
    out.write_all(&writer.into_inner())?;
    writeln!(out)
}

/// How many tests failed and how many could not be made.
struct Count {
    failures: usize,
    errors: usize,
}

impl Count {
    fn of<'o>(reports: impl Iterator<Item = &'o FileReport>) -> Self {
        let mut count = Self { failures: 0, errors: 0 };
        for finding in reports.flat_map(|report| &report.findings) {
            match is_failure(finding) {
                true => count.errors += 1,
                false => count.failures += 1,
            }
        }
        count
    }

    /// One test passes where nothing is found: some readers take a report without tests for a failure.
    fn attributes(&self) -> [(&'static str, String); 3] {
        let tests = (self.failures + self.errors).max(1);
        [("tests", tests), ("failures", self.failures), ("errors", self.errors)]
            .map(|(key, value)| (key, value.to_string()))
    }
}

fn write_passed(writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    writer
        .create_element("testsuite")
        .with_attributes([("name", "unwaited"), ("tests", "1"), ("failures", "0"), ("errors", "0")])
        .write_inner_content(|writer| {
            let case = writer.create_element("testcase").with_attribute(("name", "no problem found"));
            case.with_attribute(("classname", "unwaited")).write_empty().map(|_| ())
        })
        .map(|_| ())
}

fn write_suite(report: &FileReport, writer: &mut Writer<Vec<u8>>) -> io::Result<()> {
    let count = Count::of(std::iter::once(report));
    let name = printable(&report.name);
    writer
        .create_element("testsuite")
        .with_attribute(("name", name.as_str()))
        .with_attributes(count.attributes().iter().map(|(key, value)| (*key, value.as_str())))
        .write_inner_content(|writer| {
            report.findings.iter().try_for_each(|finding| write_case(report, &name, finding, writer))
        })
        .map(|_| ())
}

fn write_case(
    report: &FileReport,
    file: &str,
    finding: &Finding,
    writer: &mut Writer<Vec<u8>>,
) -> io::Result<()> {
    let Place { start, .. } = Place::of(report, finding.primary.span);
    let (row, column) = (start.row.to_string(), start.column.to_string());
    let kind = if is_failure(finding) { "error" } else { "failure" };
    let message = printable(&finding.message);
    let text = format!("{file}:{row}:{column}: {message}\n{}", printable_lines(&finding.help));
    writer
        .create_element("testcase")
        .with_attributes([("name", finding.rule), ("classname", file), ("file", file)])
        .with_attributes([("line", row.as_str()), ("column", column.as_str())])
        .write_inner_content(|writer| {
            writer
                .create_element(kind)
                .with_attributes([("message", message.as_str()), ("type", finding.severity.word())])
                .write_text_content(BytesText::new(text.trim_end()))
                .map(|_| ())
        })
        .map(|_| ())
}
