//! The language server, as an editor meets it: the built binary over standard input and output, and the loop itself where
//! the order of messages matters.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so")]

mod editor;
mod transcript;

use editor::{Editor, Process, address};
use lsp_server::Connection;
use serde_json::{Value, json};
use transcript::Folder;
use unwaited::project::Options;

const TEXT: &str = "import torch.distributed as dist

def tell(t, meanwhile):
    name = '😀'; h = dist.isend(t, 1)
    meanwhile()
    h.wait
";

fn start(folder: &Folder) -> (Editor<Process>, String) {
    let uri = address(&folder.path().join("a.py"));
    (Editor::new(Process::start(folder.path())), uri)
}

fn full_client() -> Value {
    json!({
        "textDocument": { "publishDiagnostics": { "relatedInformation": true } },
        "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } },
    })
}

/// `line:character-line:character rule` of each diagnostic.
fn places(published: &Value) -> Vec<String> {
    let place = |at: &Value| format!("{}:{}", at["line"], at["character"]);
    let range = |it: &Value| format!("{}-{}", place(&it["range"]["start"]), place(&it["range"]["end"]));
    let all = published["diagnostics"].as_array().unwrap();
    all.iter().map(|it| format!("{} {}", range(it), it["code"].as_str().unwrap())).collect()
}

#[test]
fn a_mistake_is_shown_fixed_and_gone() {
    let folder = Folder::with(&[]);
    let (mut editor, uri) = start(&folder);
    let can = editor.initialize(full_client());
    assert_eq!(can["positionEncoding"], "utf-16");
    let published = editor.open(&uri, TEXT);
    assert_eq!(places(&published), ["5:4-5:10 wait-never-runs"]);
    let diagnostic = &published["diagnostics"][0];
    assert_eq!((&diagnostic["severity"], &published["version"]), (&json!(1), &json!(1)));
    insta::assert_snapshot!(diagnostic["message"].as_str().unwrap(), @r"
    `h.wait` is named but not called
    help: call it: `h.wait()`
    ");
    let related = diagnostic["relatedInformation"].as_array().unwrap();
    let told: Vec<_> = related.iter().map(|it| it["message"].as_str().unwrap()).collect();
    assert_eq!(
        told,
        ["without parentheses this does nothing, and the operation stays pending", "the send starts here"]
    );
    assert_eq!(related[1]["location"]["range"]["start"], json!({ "line": 3, "character": 21 }));

    let actions = editor.actions(&uri, 5, None);
    assert_eq!(actions[0]["title"], "Call it: `h.wait()`");
    assert_eq!((&actions[0]["kind"], &actions[0]["isPreferred"]), (&json!("quickfix"), &json!(true)));
    let edit = &actions[0]["edit"]["changes"][&uri][0];
    assert_eq!(edit["newText"], "()");
    assert_eq!(edit["range"]["start"], json!({ "line": 5, "character": 10 }));

    let change = json!({ "range": edit["range"], "text": edit["newText"] });
    let document = json!({ "uri": uri, "version": 2 });
    editor.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    let published = editor.diagnostics();
    assert_eq!((places(&published), &published["version"]), (vec![], &json!(2)));
    editor.say_goodbye();
    assert_eq!(editor.line.exit_code(), Some(0));
}

#[test]
fn columns_are_bytes_where_the_editor_can_count_them() {
    let folder = Folder::with(&[]);
    let (mut editor, uri) = start(&folder);
    let can = editor.initialize(json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } }));
    assert_eq!(can["positionEncoding"], "utf-8");
    let text = "import torch.distributed as dist\nname = '😀'; dist.isend(name, 1)\n";
    let published = editor.open(&uri, text);
    assert_eq!(places(&published), ["1:15-1:34 discarded-handle"]);
    assert_eq!(published["diagnostics"][0]["relatedInformation"], Value::Null);
}

#[test]
fn all_safe_fixes_at_once() {
    let folder = Folder::with(&[]);
    let (mut editor, uri) = start(&folder);
    editor.initialize(json!({}));
    let text = "import torch.distributed as dist\r\n\r\ndef f(t):\r\n    h = dist.isend(t, 1)\r\n    g()\r\n    h.wait(5)\r\n    x = 1  # unwaited: ignore[waited-twice]\r\n";
    editor.open(&uri, text);
    assert_eq!(editor.actions(&uri, 4, Some("source.organizeImports")), json!([]));
    let actions = editor.actions(&uri, 0, Some("source.fixAll"));
    assert_eq!(actions[0]["kind"], "source.fixAll.unwaited");
    let edits = actions[0]["edit"]["changes"][&uri].as_array().unwrap();
    let texts: Vec<_> = edits.iter().map(|edit| edit["newText"].as_str().unwrap()).collect();
    assert_eq!(
        texts,
        ["from datetime import timedelta\r\n", "    h.wait(timedelta(seconds=5))\r\n    x = 1\r\n"]
    );
}

#[test]
fn the_page_of_a_rule_appears_where_it_speaks() {
    let folder = Folder::with(&[]);
    let (mut editor, uri) = start(&folder);
    editor.initialize(json!({}));
    editor.open(&uri, &format!("{TEXT}x = 1  # unwaited: ignore[waited-twice]\n"));
    let mut hover = |line: u32, character: u32| {
        let params =
            json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
        let page = editor.request("textDocument/hover", params).response_result.unwrap();
        page["contents"]["value"].as_str().and_then(|page| page.lines().next()).map(str::to_owned)
    };
    assert_eq!(hover(5, 6).as_deref(), Some("# wait-never-runs"));
    assert_eq!(hover(6, 30).as_deref(), Some("# unused-ignore"));
    assert_eq!(hover(0, 0), None);
}

#[test]
fn a_closed_document_has_no_diagnostics() {
    let folder = Folder::with(&[]);
    let (mut editor, uri) = start(&folder);
    editor.initialize(json!({}));
    assert_eq!(places(&editor.open("untitled:Untitled-1", TEXT)).len(), 1);
    editor.open(&uri, "x = 1\n");
    editor.notify("textDocument/didClose", json!({ "textDocument": { "uri": "untitled:Untitled-1" } }));
    let published = editor.diagnostics();
    assert_eq!((&published["uri"], places(&published)), (&json!("untitled:Untitled-1"), vec![]));
}

#[test]
fn what_the_server_does_not_know_is_said_or_passed_over() {
    let folder = Folder::with(&[]);
    let (mut editor, uri) = start(&folder);
    editor.initialize(json!({}));
    editor.notify("$/setTrace", json!({ "value": "off" }));
    assert_eq!(editor.request("textDocument/rename", json!({})).response_result.unwrap_err().code, -32601);
    assert_eq!(
        editor.request("textDocument/hover", json!({ "wrong": 1 })).response_result.unwrap_err().code,
        -32602
    );
    let elsewhere = json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.request("textDocument/hover", elsewhere).response_result.unwrap(), Value::Null);
    editor.say_goodbye();
    assert_eq!(editor.line.exit_code(), Some(0));
}

#[test]
fn after_the_shutdown_only_the_exit_is_left() {
    let folder = Folder::with(&[]);
    let (mut editor, uri) = start(&folder);
    editor.initialize(json!({}));
    editor.request("shutdown", Value::Null);
    let params = json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.request("textDocument/hover", params).response_result.unwrap_err().code, -32600);
    editor.notify("exit", Value::Null);
    assert_eq!(editor.line.exit_code(), Some(0));
}

#[test]
fn an_editor_that_leaves_without_a_word() {
    let folder = Folder::with(&[]);
    let (mut editor, _) = start(&folder);
    editor.initialize(json!({}));
    editor.notify("exit", Value::Null);
    assert_eq!(editor.line.exit_code(), Some(1));
    let (mut editor, _) = start(&folder);
    editor.initialize(json!({}));
    assert_eq!(editor.line.exit_code(), Some(1));
    let (mut editor, _) = start(&folder);
    editor.line.write(b"Content-Length: 2\r\n\r\n[]");
    assert_eq!(editor.line.exit_code(), Some(1));
}

/// The server's loop in this process, with everything that the editor is going to say already said.
fn serve_after(say: impl FnOnce(&mut Editor<Connection>)) -> Editor<Connection> {
    let (server, client) = Connection::memory();
    let mut editor = Editor::new(client);
    let params = json!({ "processId": null, "rootUri": null, "capabilities": {} });
    let greeting = editor.ask("initialize", params);
    editor.notify("initialized", json!({}));
    say(&mut editor);
    editor.ask("shutdown", Value::Null);
    editor.notify("exit", Value::Null);
    unwaited::lsp::serve(&server, &|| Ok(Options::default())).unwrap();
    editor.answer_to(&greeting);
    editor
}

#[test]
fn a_request_that_was_cancelled_while_it_waited() {
    let uri = "untitled:a";
    let at = json!({ "line": 4, "character": 6 });
    let hover = json!({ "textDocument": { "uri": uri }, "position": at });
    let mut ids = Vec::new();
    let say = |editor: &mut Editor<Connection>| {
        ids = (0..20).map(|_| editor.ask("textDocument/hover", hover.clone())).collect();
        editor.notify("$/cancelRequest", json!({ "id": 21 }));
    };
    let mut editor = serve_after(say);
    let last = ids.pop().unwrap();
    let mut codes = Vec::new();
    while let Some(message) = editor::Line::receive(&mut editor.line) {
        if let lsp_server::Message::Response(response) = message {
            let is_last = response.id == last;
            codes.push((is_last, response.response_result.err().map(|error| error.code)));
            if codes.len() == 20 {
                break;
            }
        }
    }
    assert_eq!(codes.iter().filter(|(is_last, _)| *is_last).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|(is_last, code)| *is_last || code.is_none()), "{codes:?}");
}

#[test]
fn settings_are_loaded_again_when_they_change() {
    let folder = Folder::with(&[("unwaited.toml", b"ignore = ['wait-never-runs']\n")]);
    let (mut editor, uri) = start(&folder);
    editor.initialize(full_client());
    assert_eq!(places(&editor.open(&uri, TEXT)).len(), 0);
    let mut set = |text: &str, method: &str| {
        folder.write("unwaited.toml", text.as_bytes());
        editor.notify(method, json!({ "settings": null, "changes": [] }));
        places(&editor.diagnostics())
    };
    assert_eq!(set("", "workspace/didChangeWatchedFiles"), ["5:4-5:10 wait-never-runs"]);
    assert_eq!(set("ingore = []\n", "workspace/didChangeConfiguration"), [""; 0]);
    let shown = editor.hear("window/showMessage")["message"].as_str().unwrap().to_owned();
    assert!(shown.starts_with("unwaited: ") && shown.contains("`ingore`"), "{shown}");
}
