//! Every format, on the same findings.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on says so")]

mod sarif;
mod transcript;

use transcript::Folder;

/// An error over two rows, one in a function that a suppression covers, and a warning.
const PROGRAM: &str = "import torch.distributed as dist


def send(t):
    dist.isend(
        t, 1)
    dist.isend(t, 2)  # unwaited: ignore[discarded-handle] the peer asks for it

x = 1  # unwaited: ignore[waited-twice]
";

fn folder() -> Folder {
    Folder::with(&[
        ("pkg/a b,c.py", PROGRAM.as_bytes()),
        ("broken.py", b"import torch.distributed.isend\nif:\n"),
    ])
}

fn shown(format: &str) -> String {
    folder().unwaited(&format!("check --output-format {format}"))
}

#[test]
fn sarif_is_what_its_schema_says() {
    let folder = folder();
    folder.write("binary.py", b"\x00");
    let validator = jsonschema::validator_for(&sarif::schema()).unwrap();
    for arguments in [".", "a.py nowhere.py", "--select unused-ignore", "--exclude *"] {
        let sarif = report(&folder, arguments);
        let complaints: Vec<String> = validator.iter_errors(&sarif).map(|error| error.to_string()).collect();
        assert_eq!(complaints, Vec::<String>::new(), "{arguments}");
        serde_json::from_value::<serde_sarif::sarif::Sarif>(sarif).unwrap();
    }
    let mut wrong = report(&folder, ".");
    wrong["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!validator.is_valid(&wrong), "the schema is one that refuses something");
}

fn report(folder: &Folder, arguments: &str) -> serde_json::Value {
    let output = folder.command(&format!("check --output-format sarif {arguments}")).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn json_in_rows() {
    insta::assert_snapshot!(shown("json-lines"), @r#"
    $ unwaited check --output-format json-lines
    {"rule":"syntax-error","severity":"error","message":"expected an expression","filename":"broken.py","location":{"row":2,"column":3},"end_location":{"row":2,"column":4},"labels":[{"message":"this cannot be parsed","location":{"row":2,"column":3},"end_location":{"row":2,"column":4}}],"help":"the rest of the file was checked, except for one more such place","url":null,"fix":null}
    {"rule":"discarded-handle","severity":"error","message":"the handle of `dist.isend` is thrown away","filename":"pkg/a b,c.py","location":{"row":5,"column":5},"end_location":{"row":6,"column":14},"labels":[{"message":"the send starts here and its handle is dropped at once","location":{"row":5,"column":5},"end_location":{"row":6,"column":14}}],"help":"keep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang","url":null,"fix":{"applicability":"unsafe","message":"keep the handle, and wait for it at the end of the block","edits":[{"content":"handle = ","location":{"row":5,"column":5},"end_location":{"row":5,"column":5}},{"content":"    handle.wait()\n","location":{"row":8,"column":1},"end_location":{"row":8,"column":1}}]}}
    {"rule":"unused-ignore","severity":"warning","message":"this suppression of `waited-twice` suppresses nothing","filename":"pkg/a b,c.py","location":{"row":9,"column":27},"end_location":{"row":9,"column":39},"labels":[],"help":"remove `waited-twice` from the comment","url":null,"fix":{"applicability":"safe","message":"remove `waited-twice` from the comment","edits":[{"content":"","location":{"row":9,"column":6},"end_location":{"row":9,"column":40}}]}}
    -- exit code 2
    "#);
}

#[test]
fn annotations_of_github() {
    insta::assert_snapshot!(shown("github"), @r"
    $ unwaited check --output-format github
    ::error title=unwaited (syntax-error),file=broken.py,line=2,col=3,endLine=2,endColumn=4::broken.py:2:3: expected an expression%0Ahelp: the rest of the file was checked, except for one more such place
    ::error title=unwaited (discarded-handle),file=pkg/a b%2Cc.py,line=5,endLine=6::pkg/a b,c.py:5:5: the handle of `dist.isend` is thrown away%0Ahelp: keep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang
    ::warning title=unwaited (unused-ignore),file=pkg/a b%2Cc.py,line=9,col=27,endLine=9,endColumn=39::pkg/a b,c.py:9:27: this suppression of `waited-twice` suppresses nothing%0Ahelp: remove `waited-twice` from the comment
    -- exit code 2
    ");
}

#[test]
fn the_code_quality_of_gitlab() {
    insta::assert_snapshot!(shown("gitlab"), @r#"
    $ unwaited check --output-format gitlab
    [
      {
        "description": "expected an expression",
        "check_name": "syntax-error",
        "fingerprint": "c0e3aff736431925",
        "severity": "major",
        "location": {
          "path": "broken.py",
          "lines": {
            "begin": 2,
            "end": 2
          }
        }
      },
      {
        "description": "the handle of `dist.isend` is thrown away",
        "check_name": "discarded-handle",
        "fingerprint": "49fca5f7534557ab",
        "severity": "major",
        "location": {
          "path": "pkg/a b,c.py",
          "lines": {
            "begin": 5,
            "end": 6
          }
        }
      },
      {
        "description": "this suppression of `waited-twice` suppresses nothing",
        "check_name": "unused-ignore",
        "fingerprint": "cbcc90dae0f61912",
        "severity": "minor",
        "location": {
          "path": "pkg/a b,c.py",
          "lines": {
            "begin": 9,
            "end": 9
          }
        }
      }
    ]
    -- exit code 2
    "#);
}

#[test]
fn tests_of_junit() {
    insta::assert_snapshot!(shown("junit"), @r#"
    $ unwaited check --output-format junit
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="unwaited" tests="3" failures="2" errors="1">
      <testsuite name="broken.py" tests="1" failures="0" errors="1">
        <testcase name="syntax-error" classname="broken.py" file="broken.py" line="2" column="3">
          <error message="expected an expression" type="error">broken.py:2:3: expected an expression
    the rest of the file was checked, except for one more such place</error>
        </testcase>
      </testsuite>
      <testsuite name="pkg/a b,c.py" tests="2" failures="2" errors="0">
        <testcase name="discarded-handle" classname="pkg/a b,c.py" file="pkg/a b,c.py" line="5" column="5">
          <failure message="the handle of `dist.isend` is thrown away" type="error">pkg/a b,c.py:5:5: the handle of `dist.isend` is thrown away
    keep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang</failure>
        </testcase>
        <testcase name="unused-ignore" classname="pkg/a b,c.py" file="pkg/a b,c.py" line="9" column="27">
          <failure message="this suppression of `waited-twice` suppresses nothing" type="warning">pkg/a b,c.py:9:27: this suppression of `waited-twice` suppresses nothing
    remove `waited-twice` from the comment</failure>
        </testcase>
      </testsuite>
    </testsuites>
    -- exit code 2
    "#);
}

#[test]
fn tests_of_junit_where_nothing_is_found() {
    insta::assert_snapshot!(Folder::with(&[("a.py", b"x = 1\n")]).unwaited("check --output-format junit"), @r#"
    $ unwaited check --output-format junit
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="unwaited" tests="1" failures="0" errors="0">
      <testsuite name="unwaited" tests="1" failures="0" errors="0">
        <testcase name="no problem found" classname="unwaited"/>
      </testsuite>
    </testsuites>
    -- exit code 0
    "#);
}

#[test]
fn messages_of_lintrunner() {
    insta::assert_snapshot!(shown("lintrunner"), @r#"
    $ unwaited check --output-format lintrunner
    {"path":"broken.py","line":2,"char":3,"code":"UNWAITED","severity":"error","name":"syntax-error","original":null,"replacement":null,"description":"expected an expression\nhelp: the rest of the file was checked, except for one more such place"}
    {"path":"pkg/a b,c.py","line":5,"char":5,"code":"UNWAITED","severity":"error","name":"discarded-handle","original":null,"replacement":null,"description":"the handle of `dist.isend` is thrown away\nhelp: keep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang"}
    {"path":"pkg/a b,c.py","line":9,"char":27,"code":"UNWAITED","severity":"warning","name":"unused-ignore","original":null,"replacement":null,"description":"this suppression of `waited-twice` suppresses nothing\nhelp: remove `waited-twice` from the comment"}
    -- exit code 2
    "#);
}

#[test]
fn results_of_sarif() {
    let mut sarif = report(&folder(), "");
    for rule in sarif["runs"][0]["tool"]["driver"]["rules"].as_array_mut().unwrap() {
        let page = rule["help"]["text"].as_str().unwrap();
        assert!(page.starts_with("# "), "{page}");
        rule["help"] = "its page".into();
    }
    insta::assert_snapshot!(serde_json::to_string_pretty(&sarif).unwrap(), @r#"
    {
      "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "runs": [
        {
          "columnKind": "unicodeCodePoints",
          "invocations": [
            {
              "executionSuccessful": false
            }
          ],
          "results": [
            {
              "level": "error",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "broken.py",
                      "uriBaseId": "SRCROOT"
                    },
                    "region": {
                      "endColumn": 4,
                      "endLine": 2,
                      "snippet": {
                        "text": ":"
                      },
                      "startColumn": 3,
                      "startLine": 2
                    }
                  }
                }
              ],
              "message": {
                "text": "expected an expression\n\nthe rest of the file was checked, except for one more such place"
              },
              "partialFingerprints": {
                "unwaited/v1": "c0e3aff736431925"
              },
              "relatedLocations": [
                {
                  "id": 0,
                  "message": {
                    "text": "this cannot be parsed"
                  },
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "broken.py",
                      "uriBaseId": "SRCROOT"
                    },
                    "region": {
                      "endColumn": 4,
                      "endLine": 2,
                      "snippet": {
                        "text": ":"
                      },
                      "startColumn": 3,
                      "startLine": 2
                    }
                  }
                }
              ],
              "ruleId": "syntax-error",
              "ruleIndex": 2
            },
            {
              "fixes": [
                {
                  "artifactChanges": [
                    {
                      "artifactLocation": {
                        "uri": "pkg/a%20b%2Cc.py",
                        "uriBaseId": "SRCROOT"
                      },
                      "replacements": [
                        {
                          "deletedRegion": {
                            "endColumn": 5,
                            "endLine": 5,
                            "startColumn": 5,
                            "startLine": 5
                          },
                          "insertedContent": {
                            "text": "handle = "
                          }
                        },
                        {
                          "deletedRegion": {
                            "endColumn": 1,
                            "endLine": 8,
                            "startColumn": 1,
                            "startLine": 8
                          },
                          "insertedContent": {
                            "text": "    handle.wait()\n"
                          }
                        }
                      ]
                    }
                  ],
                  "description": {
                    "text": "keep the handle, and wait for it at the end of the block"
                  }
                }
              ],
              "level": "error",
              "locations": [
                {
                  "logicalLocations": [
                    {
                      "fullyQualifiedName": "send",
                      "kind": "function"
                    }
                  ],
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "pkg/a%20b%2Cc.py",
                      "uriBaseId": "SRCROOT"
                    },
                    "region": {
                      "endColumn": 14,
                      "endLine": 6,
                      "snippet": {
                        "text": "dist.isend(\n        t, 1)"
                      },
                      "startColumn": 5,
                      "startLine": 5
                    }
                  }
                }
              ],
              "message": {
                "text": "the handle of `dist.isend` is thrown away\n\nkeep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang"
              },
              "partialFingerprints": {
                "unwaited/v1": "49fca5f7534557ab"
              },
              "relatedLocations": [
                {
                  "id": 0,
                  "message": {
                    "text": "the send starts here and its handle is dropped at once"
                  },
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "pkg/a%20b%2Cc.py",
                      "uriBaseId": "SRCROOT"
                    },
                    "region": {
                      "endColumn": 14,
                      "endLine": 6,
                      "snippet": {
                        "text": "dist.isend(\n        t, 1)"
                      },
                      "startColumn": 5,
                      "startLine": 5
                    }
                  }
                }
              ],
              "ruleId": "discarded-handle",
              "ruleIndex": 0
            },
            {
              "fixes": [
                {
                  "artifactChanges": [
                    {
                      "artifactLocation": {
                        "uri": "pkg/a%20b%2Cc.py",
                        "uriBaseId": "SRCROOT"
                      },
                      "replacements": [
                        {
                          "deletedRegion": {
                            "endColumn": 5,
                            "endLine": 7,
                            "startColumn": 5,
                            "startLine": 7
                          },
                          "insertedContent": {
                            "text": "handle = "
                          }
                        },
                        {
                          "deletedRegion": {
                            "endColumn": 1,
                            "endLine": 8,
                            "startColumn": 1,
                            "startLine": 8
                          },
                          "insertedContent": {
                            "text": "    handle.wait()\n"
                          }
                        }
                      ]
                    }
                  ],
                  "description": {
                    "text": "keep the handle, and wait for it at the end of the block"
                  }
                }
              ],
              "level": "error",
              "locations": [
                {
                  "logicalLocations": [
                    {
                      "fullyQualifiedName": "send",
                      "kind": "function"
                    }
                  ],
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "pkg/a%20b%2Cc.py",
                      "uriBaseId": "SRCROOT"
                    },
                    "region": {
                      "endColumn": 21,
                      "endLine": 7,
                      "snippet": {
                        "text": "dist.isend(t, 2)"
                      },
                      "startColumn": 5,
                      "startLine": 7
                    }
                  }
                }
              ],
              "message": {
                "text": "the handle of `dist.isend` is thrown away\n\nkeep the handle and wait: `handle = dist.isend(…)`, and later `handle.wait()`; or call the blocking `dist.send`; as it is, with gloo the message is cancelled, the peer waits for ever or fails, and later messages and barriers of the pair hang"
              },
              "partialFingerprints": {
                "unwaited/v1": "e9a10273ef44fb7d"
              },
              "relatedLocations": [
                {
                  "id": 0,
                  "message": {
                    "text": "the send starts here and its handle is dropped at once"
                  },
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "pkg/a%20b%2Cc.py",
                      "uriBaseId": "SRCROOT"
                    },
                    "region": {
                      "endColumn": 21,
                      "endLine": 7,
                      "snippet": {
                        "text": "dist.isend(t, 2)"
                      },
                      "startColumn": 5,
                      "startLine": 7
                    }
                  }
                }
              ],
              "ruleId": "discarded-handle",
              "ruleIndex": 0,
              "suppressions": [
                {
                  "justification": "the peer asks for it",
                  "kind": "inSource"
                }
              ]
            },
            {
              "fixes": [
                {
                  "artifactChanges": [
                    {
                      "artifactLocation": {
                        "uri": "pkg/a%20b%2Cc.py",
                        "uriBaseId": "SRCROOT"
                      },
                      "replacements": [
                        {
                          "deletedRegion": {
                            "endColumn": 40,
                            "endLine": 9,
                            "startColumn": 6,
                            "startLine": 9
                          },
                          "insertedContent": {
                            "text": ""
                          }
                        }
                      ]
                    }
                  ],
                  "description": {
                    "text": "remove `waited-twice` from the comment"
                  }
                }
              ],
              "level": "warning",
              "locations": [
                {
                  "physicalLocation": {
                    "artifactLocation": {
                      "uri": "pkg/a%20b%2Cc.py",
                      "uriBaseId": "SRCROOT"
                    },
                    "region": {
                      "endColumn": 39,
                      "endLine": 9,
                      "snippet": {
                        "text": "waited-twice"
                      },
                      "startColumn": 27,
                      "startLine": 9
                    }
                  }
                }
              ],
              "message": {
                "text": "this suppression of `waited-twice` suppresses nothing\n\nremove `waited-twice` from the comment"
              },
              "partialFingerprints": {
                "unwaited/v1": "cbcc90dae0f61912"
              },
              "ruleId": "unused-ignore",
              "ruleIndex": 1
            }
          ],
          "tool": {
            "driver": {
              "name": "unwaited",
              "rules": [
                {
                  "defaultConfiguration": {
                    "level": "error"
                  },
                  "help": "its page",
                  "id": "discarded-handle",
                  "shortDescription": {
                    "text": "the handle of an operation is thrown away where the operation starts"
                  }
                },
                {
                  "defaultConfiguration": {
                    "level": "warning"
                  },
                  "help": "its page",
                  "id": "unused-ignore",
                  "shortDescription": {
                    "text": "a suppression comment suppresses nothing, or cannot be understood"
                  }
                },
                {
                  "defaultConfiguration": {
                    "level": "error"
                  },
                  "help": "its page",
                  "id": "syntax-error",
                  "shortDescription": {
                    "text": "a file, or a part of it, cannot be parsed"
                  }
                }
              ],
              "semanticVersion": "0.1.0",
              "version": "0.1.0"
            }
          }
        }
      ],
      "version": "2.1.0"
    }
    "#);
}

#[test]
fn formats_for_programs_say_nothing_else() {
    let folder = Folder::with(&[("a.py", b"x = 1\n")]);
    for (format, expected) in
        [("json", "[]\n"), ("json-lines", ""), ("github", ""), ("gitlab", "[]\n"), ("lintrunner", "")]
    {
        let output = folder.command(&format!("check --output-format {format}")).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{format}");
    }
}

#[test]
fn statistics_of_a_format_that_has_none() {
    insta::assert_snapshot!(folder().unwaited("check --statistics --output-format sarif"), @r"
    $ unwaited check --statistics --output-format sarif
    -- standard error
    error: `--statistics` goes with the formats full, concise and json
    -- exit code 2
    ");
}

#[test]
fn a_file_that_is_there_is_replaced_wholly() {
    let folder = folder();
    folder.write("report.json", &b"x".repeat(100_000));
    folder.unwaited("check --no-cache --output-format json --output-file report.json");
    let report = std::fs::read(folder.path().join("report.json")).unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&report).is_ok());
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 3, "nothing is left behind");
}

#[test]
fn colours_are_decided_by_the_environment() {
    let folder = folder();
    let coloured = |arguments: &str, variables: &[(&str, &str)]| {
        let mut command = folder.command(&format!("check --output-format concise {arguments}"));
        for (name, value) in variables {
            command.env(name, value);
        }
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(!coloured("", &[]));
    assert!(coloured("", &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured("", &[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured("", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(coloured("--color always", &[("NO_COLOR", "1")]));
    assert!(!coloured("--color never", &[("CLICOLOR_FORCE", "1")]));
}
