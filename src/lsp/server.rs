//! The loop that takes messages and answers them, in their order, one at a time.
//!
//! Whatever waits is taken in before anything is worked on: so a request that was cancelled while it waited is answered
//! without work, and a text that was changed ten times is checked once.

use std::collections::{BTreeMap, VecDeque};
use std::sync::mpsc::{self, Receiver};

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CancelParams, CodeActionParams, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, HoverParams, MessageType, NumberOrString, PublishDiagnosticsParams,
    ShowMessageParams,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Load;
use super::actions::{self, Check};
use super::diagnostics::diagnostics;
use super::documents::{Document, Freshness};
use super::hover::hover;
use super::protocol::{self, Client, Watching};
use crate::project::{self, Input, Options, Outcome, Silent};
use crate::rules::{Applicability, Finding};

/// The conversation with one editor.
pub(super) struct Server<'c> {
    connection: &'c Connection,
    client: Client,
    load: &'c Load<'c>,
    options: Options,
    /// By address.
    documents: BTreeMap<String, Document>,
    arrived: Receiver<Message>,
    waiting: VecDeque<Message>,
    /// Why nothing could be checked last.
    complaint: Option<String>,
    stage: Stage,
}

/// How far the conversation has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Talking,
    /// The editor has asked for the end, and only says when.
    ShutDown,
    /// It has ended as it should.
    Over,
    /// It has ended without a word.
    Broken,
}

impl<'c> Server<'c> {
    pub(super) fn new(connection: &'c Connection, client: Client, load: &'c Load<'c>) -> Self {
        let mut server = Self {
            connection,
            client,
            load,
            options: Options::default(),
            documents: BTreeMap::new(),
            arrived: arrivals(connection),
            waiting: VecDeque::new(),
            complaint: None,
            stage: Stage::Talking,
        };
        server.load_settings();
        server
    }

    pub(super) fn run(mut self) -> Result<(), String> {
        if self.client.watching == Watching::OnRequest {
            let id = RequestId::from("unwaited-settings".to_owned());
            let request =
                Request::new(id, request::RegisterCapability::METHOD.to_owned(), protocol::watch_settings());
            self.send(Message::Request(request));
        }
        loop {
            self.take_in();
            match (self.waiting.pop_front(), self.stage) {
                (_, Stage::Over) => return Ok(()),
                (_, Stage::Broken) => return Err("the editor left without saying goodbye".to_owned()),
                (Some(message), _) => self.take(message),
                (None, _) if self.check_one() => {}
                (None, _) => self.wait(),
            }
        }
    }

    /// Takes in what has arrived; a cancelled request that still waits is answered at once.
    fn take_in(&mut self) {
        while let Ok(message) = self.arrived.try_recv() {
            self.enqueue(message);
        }
    }

    fn wait(&mut self) {
        match self.arrived.recv() {
            Ok(message) => self.enqueue(message),
            Err(_) => self.stage = Stage::Broken,
        }
    }

    fn enqueue(&mut self, message: Message) {
        match cancelled(&message) {
            None => self.waiting.push_back(message),
            Some(id) => {
                let is_meant = |message: &Message| matches!(message, Message::Request(it) if it.id == id);
                if let Some(at) = self.waiting.iter().position(is_meant) {
                    self.waiting.remove(at);
                    let message = "the request was cancelled".to_owned();
                    self.send(Message::Response(Response::new_err(
                        id,
                        ErrorCode::RequestCanceled as i32,
                        message,
                    )));
                }
            }
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Request(request) => {
                let response = self.answer(request);
                self.send(Message::Response(response));
            }
            Message::Notification(notification) => self.note(notification),
            // Answers to the registration: without it, settings are loaded when the editor says so.
            Message::Response(_) => {}
        }
    }

    fn answer(&mut self, request: Request) -> Response {
        let Request { id, method, params } = request;
        if self.stage != Stage::Talking {
            let message = "the server is shutting down".to_owned();
            return Response::new_err(id, ErrorCode::InvalidRequest as i32, message);
        }
        let result = match method.as_str() {
            request::Shutdown::METHOD => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            request::CodeActionRequest::METHOD => read(params).map(|params| value(self.actions(&params))),
            request::HoverRequest::METHOD => read(params).map(|params| value(self.hover(&params))),
            _ => {
                let message = format!("`{method}` is not supported");
                return Response::new_err(id, ErrorCode::MethodNotFound as i32, message);
            }
        };
        match result {
            Ok(result) => Response::new_ok(id, result),
            Err(message) => Response::new_err(id, ErrorCode::InvalidParams as i32, message),
        }
    }

    fn note(&mut self, note: Notification) {
        let params = note.params;
        match note.method.as_str() {
            notification::Exit::METHOD => {
                self.stage = match self.stage {
                    Stage::ShutDown | Stage::Over => Stage::Over,
                    Stage::Talking | Stage::Broken => Stage::Broken,
                }
            }
            notification::DidOpenTextDocument::METHOD => self.with(params, Self::open),
            notification::DidChangeTextDocument::METHOD => self.with(params, Self::change),
            notification::DidCloseTextDocument::METHOD => self.with(params, Self::close),
            notification::DidSaveTextDocument::METHOD => self.make_stale(),
            notification::DidChangeConfiguration::METHOD | notification::DidChangeWatchedFiles::METHOD => {
                self.load_settings();
                self.make_stale();
            }
            // Notifications that a server does not know are to be passed over.
            _ => {}
        }
    }

    fn with<P: DeserializeOwned>(&mut self, params: Value, act: impl FnOnce(&mut Self, P)) {
        match read(params) {
            Ok(params) => act(self, params),
            Err(message) => self.tell(MessageType::ERROR, &message),
        }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let it = params.text_document;
        let key = it.uri.as_str().to_owned();
        self.documents.insert(key, Document::new(it.uri, it.version, it.text));
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let it = params.text_document;
        if let Some(document) = self.documents.get_mut(it.uri.as_str()) {
            document.change(it.version, params.content_changes, self.client.encoding);
        }
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        if self.documents.remove(uri.as_str()).is_some() {
            let params = PublishDiagnosticsParams { uri, diagnostics: Vec::new(), version: None };
            self.publish(params);
        }
    }

    fn actions(&mut self, params: &CodeActionParams) -> Vec<lsp_types::CodeAction> {
        let key = params.text_document.uri.as_str().to_owned();
        self.refresh(&key);
        let check = Checker { options: &self.options };
        let document = self.documents.get(&key);
        document.map(|it| actions::actions(it, params, &self.client, &check)).unwrap_or_default()
    }

    fn hover(&mut self, params: &HoverParams) -> Option<lsp_types::Hover> {
        let place = &params.text_document_position_params;
        let key = place.text_document.uri.as_str().to_owned();
        self.refresh(&key);
        hover(self.documents.get(&key)?, place.position, self.client.encoding)
    }

    /// Checks one stale document, if there is one.
    fn check_one(&mut self) -> bool {
        let stale = self.documents.iter().find(|(_, document)| document.freshness == Freshness::Stale);
        let Some(key) = stale.map(|(key, _)| key.clone()) else { return false };
        self.refresh(&key);
        true
    }

    /// Checks a document if it is stale, and tells the editor what was found.
    fn refresh(&mut self, key: &str) {
        let check = Checker { options: &self.options };
        let Some(document) = self.documents.get_mut(key) else { return };
        if document.freshness == Freshness::Fresh {
            return;
        }
        let found = check.findings(document, &document.source.text);
        document.freshness = Freshness::Fresh;
        let complaint = found.as_ref().err().cloned();
        document.findings = found.unwrap_or_default();
        let params = PublishDiagnosticsParams {
            uri: document.uri.clone(),
            diagnostics: diagnostics(document, &self.client),
            version: Some(document.version),
        };
        self.publish(params);
        self.complain(complaint);
    }

    fn make_stale(&mut self) {
        self.documents.values_mut().for_each(|document| document.freshness = Freshness::Stale);
    }

    /// Shows why nothing can be checked, once until it changes.
    fn complain(&mut self, complaint: Option<String>) {
        if let Some(message) = complaint.as_ref().filter(|_| complaint != self.complaint) {
            self.tell(MessageType::ERROR, message);
        }
        self.complaint = complaint;
    }

    /// Loads the settings; where they are wrong the ones before stay, and the editor shows why.
    fn load_settings(&mut self) {
        match (self.load)() {
            Ok(options) => self.options = options,
            Err(message) => self.tell(MessageType::ERROR, &message),
        }
    }

    fn publish(&self, params: PublishDiagnosticsParams) {
        self.notify(notification::PublishDiagnostics::METHOD, params);
    }

    fn tell(&self, typ: MessageType, message: &str) {
        let message = format!("unwaited: {message}");
        self.notify(notification::ShowMessage::METHOD, ShowMessageParams { typ, message });
    }

    fn notify(&self, method: &str, params: impl Serialize) {
        self.send(Message::Notification(Notification::new(method.to_owned(), params)));
    }

    fn send(&self, message: Message) {
        // Where nobody listens any more, the loop learns of it when it reads.
        let _ = self.connection.sender.send(message);
    }
}

/// Checks texts under the settings in force.
struct Checker<'s> {
    options: &'s Options,
}

impl Checker<'_> {
    fn check(&self, document: &Document, text: &str, options: &Options) -> Result<Outcome, String> {
        if document.is_part_of_a_notebook() {
            return Ok(Outcome::default());
        }
        let input = Input::Text { bytes: text.as_bytes().to_owned(), name: document.path.clone() };
        project::check(input, options, &Silent)
    }
}

impl Check for Checker<'_> {
    fn findings(&self, document: &Document, text: &str) -> Result<Vec<Finding>, String> {
        let outcome = self.check(document, text, self.options)?;
        Ok(outcome.reports.into_iter().flat_map(|report| report.findings).collect())
    }

    fn fixed(&self, document: &Document) -> Option<String> {
        let options = Options { fix: Some(Applicability::Safe), ..self.options.clone() };
        let outcome = self.check(document, &document.source.text, &options).ok()?;
        outcome.changes.into_iter().next().map(|change| change.after)
    }
}

/// Takes messages off the connection as they come: it holds only one at a time, and a message that cannot be seen cannot
/// cancel another.
fn arrivals(connection: &Connection) -> Receiver<Message> {
    let (sender, receiver) = mpsc::channel();
    let messages = connection.receiver.clone();
    std::thread::spawn(move || messages.iter().try_for_each(|message| sender.send(message)));
    receiver
}

fn cancelled(message: &Message) -> Option<RequestId> {
    let Message::Notification(note) = message else { return None };
    if note.method != notification::Cancel::METHOD {
        return None;
    }
    let params: CancelParams = serde_json::from_value(note.params.clone()).ok()?;
    Some(match params.id {
        NumberOrString::Number(id) => RequestId::from(id),
        NumberOrString::String(id) => RequestId::from(id),
    })
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, String> {
    serde_json::from_value(params).map_err(|error| format!("the parameters cannot be read: {error}"))
}

fn value(result: impl Serialize) -> Value {
    serde_json::to_value(result).unwrap_or_default()
}
