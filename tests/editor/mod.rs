//! An editor that speaks the language server protocol.

#![allow(dead_code, reason = "no test file uses all of it")]

use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::str::FromStr;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use lsp_types::Uri;
use serde_json::{Value, json};

/// One side of a conversation.
pub(crate) trait Line {
    fn send(&mut self, message: Message);
    fn receive(&mut self) -> Option<Message>;
}

/// The server as a process.
pub(crate) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    pub(crate) fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_unwaited"))
            .arg("server")
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { child, input, output }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    /// Closes standard input, and gives the exit code.
    pub(crate) fn exit_code(mut self) -> Option<i32> {
        self.input.take();
        self.child.wait().unwrap().code()
    }
}

impl Line for Process {
    fn send(&mut self, message: Message) {
        message.write(self.input.as_mut().unwrap()).unwrap();
    }

    fn receive(&mut self) -> Option<Message> {
        Message::read(&mut self.output).unwrap()
    }
}

impl Line for Connection {
    fn send(&mut self, message: Message) {
        self.sender.send(message).unwrap();
    }

    fn receive(&mut self) -> Option<Message> {
        self.receiver.recv().ok()
    }
}

/// An editor with what it has been told so far.
pub(crate) struct Editor<L> {
    pub(crate) line: L,
    asked: i32,
    pub(crate) notes: Vec<Notification>,
}

impl<L: Line> Editor<L> {
    pub(crate) fn new(line: L) -> Self {
        Self { line, asked: 0, notes: Vec::new() }
    }

    /// Greets the server, and gives what it can do.
    pub(crate) fn initialize(&mut self, capabilities: Value) -> Value {
        let answer = self.request(
            "initialize",
            json!({ "processId": null, "rootUri": null, "capabilities": capabilities }),
        );
        self.notify("initialized", json!({}));
        answer.response_result.unwrap()["capabilities"].clone()
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.line.send(Message::Notification(Notification::new(method.to_owned(), params)));
    }

    /// Asks without waiting for the answer.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> RequestId {
        self.asked += 1;
        let id = RequestId::from(self.asked);
        self.line.send(Message::Request(Request::new(id.clone(), method.to_owned(), params)));
        id
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Response {
        let id = self.ask(method, params);
        self.answer_to(&id)
    }

    /// Waits for an answer; what the server says meanwhile is kept, what it asks is granted.
    pub(crate) fn answer_to(&mut self, id: &RequestId) -> Response {
        loop {
            match self.line.receive().expect("the server answers") {
                Message::Response(response) if response.id == *id => return response,
                Message::Response(other) => panic!("an answer to something else: {other:?}"),
                Message::Notification(note) => self.notes.push(note),
                Message::Request(request) => {
                    self.line.send(Message::Response(Response::new_ok(request.id, Value::Null)));
                }
            }
        }
    }

    /// What the server says next under this name.
    pub(crate) fn hear(&mut self, method: &str) -> Value {
        if let Some(at) = self.notes.iter().position(|note| note.method == method) {
            return self.notes.remove(at).params;
        }
        loop {
            match self.line.receive().expect("the server goes on") {
                Message::Notification(note) if note.method == method => return note.params,
                Message::Notification(note) => self.notes.push(note),
                Message::Request(request) => {
                    self.line.send(Message::Response(Response::new_ok(request.id, Value::Null)));
                }
                Message::Response(other) => panic!("an answer to nothing: {other:?}"),
            }
        }
    }

    pub(crate) fn open(&mut self, uri: &str, text: &str) -> Value {
        let document = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics()
    }

    pub(crate) fn diagnostics(&mut self) -> Value {
        self.hear("textDocument/publishDiagnostics")
    }

    pub(crate) fn actions(&mut self, uri: &str, line: u32, only: Option<&str>) -> Value {
        let at = json!({ "line": line, "character": 6 });
        let context = json!({ "diagnostics": [], "only": only.map(|kind| vec![kind]) });
        let params = json!({ "textDocument": { "uri": uri }, "range": { "start": at, "end": at }, "context": context });
        self.request("textDocument/codeAction", params).response_result.unwrap()
    }

    pub(crate) fn say_goodbye(&mut self) {
        assert_eq!(self.request("shutdown", Value::Null).response_result.unwrap(), Value::Null);
        self.notify("exit", Value::Null);
    }
}

/// The address of a file.
pub(crate) fn address(path: &Path) -> String {
    let address = format!("file://{}", path.display());
    Uri::from_str(&address).unwrap();
    address
}
