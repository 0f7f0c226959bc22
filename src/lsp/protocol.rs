//! What editor and server tell each other when they meet.

use lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern, HoverProviderCapability,
    InitializeResult, Registration, RegistrationParams, SaveOptions, ServerCapabilities, ServerInfo,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};
use serde_json::Value;

use super::encoding::Encoding;

/// The kind of the action that makes all safe fixes of a document.
pub(super) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.unwaited");

/// What the editor can do.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Client {
    pub(super) encoding: Encoding,
    pub(super) related: RelatedPlaces,
    pub(super) watching: Watching,
}

/// Whether a diagnostic may point at further places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RelatedPlaces {
    Shown,
    #[default]
    NotShown,
}

/// Whether the editor watches files for the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Watching {
    OnRequest,
    #[default]
    Never,
}

impl Client {
    /// Reads the parameters of `initialize`; what is missing or not understood counts as not there.
    pub(super) fn of(parameters: &Value) -> Self {
        let capabilities = parameters.get("capabilities").cloned().unwrap_or_default();
        let can: ClientCapabilities = serde_json::from_value(capabilities).unwrap_or_default();
        let offered = can.general.and_then(|it| it.position_encodings).unwrap_or_default();
        let diagnostics = can.text_document.and_then(|it| it.publish_diagnostics);
        let watches = can.workspace.and_then(|it| it.did_change_watched_files);
        Self {
            encoding: Encoding::agreed(&offered),
            related: match diagnostics.and_then(|it| it.related_information) {
                Some(true) => RelatedPlaces::Shown,
                Some(false) | None => RelatedPlaces::NotShown,
            },
            watching: match watches.and_then(|it| it.dynamic_registration) {
                Some(true) => Watching::OnRequest,
                Some(false) | None => Watching::Never,
            },
        }
    }
}

/// The answer to `initialize`.
pub(super) fn welcome(client: &Client) -> Value {
    let result = InitializeResult {
        capabilities: capabilities(client),
        server_info: Some(ServerInfo {
            name: env!("CARGO_PKG_NAME").to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    };
    serde_json::to_value(result).unwrap_or_default()
}

fn capabilities(client: &Client) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, FIX_ALL]),
        ..CodeActionOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        ..ServerCapabilities::default()
    }
}

/// Asks the editor to tell of changes of the files that may hold settings.
pub(super) fn watch_settings() -> RegistrationParams {
    let watch = |pattern: &str| FileSystemWatcher {
        glob_pattern: GlobPattern::String(format!("**/{pattern}")),
        kind: None,
    };
    let watchers = ["unwaited.toml", ".unwaited.toml", "pyproject.toml"].map(watch).to_vec();
    let options = DidChangeWatchedFilesRegistrationOptions { watchers };
    let registration = Registration {
        id: "unwaited-settings".to_owned(),
        method: "workspace/didChangeWatchedFiles".to_owned(),
        register_options: serde_json::to_value(options).ok(),
    };
    RegistrationParams { registrations: vec![registration] }
}
