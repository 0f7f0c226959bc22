//! `unwaited server`: the language server, over standard input and output.
//!
//! - A **document** is a text that the editor holds; what is on the disk does not count while it is open.
//! - A document is **stale** until it has been checked as it stands. It is checked when no message waits, so that typing is
//!   never slowed down; what is asked about a stale document checks it first.
//! - **Settings** are loaded when the server starts, and again when the editor says that they, or a file that may hold
//!   them, have changed.
//!
//! ```text
//! editor                                             server
//! didOpen send.py            →                       send.py is stale; nothing waits: check it
//!                            ←  publishDiagnostics   discarded-handle at 12:5, with its story as related places
//! codeAction at 12:5         →                       is the fix good? make it, check the result, offer it
//! hover at 12:5              →                       the page of the rule
//! ```

mod actions;
mod diagnostics;
mod documents;
mod encoding;
mod hover;
mod protocol;
mod server;
mod uri;

use lsp_server::Connection;

use crate::project::Options;
use server::Server;

/// Loads the settings; an error is a message for the user.
pub type Load<'l> = dyn Fn() -> Result<Options, String> + 'l;

/// Serves one editor over standard input and output, until it says goodbye.
pub fn serve_stdio(load: &Load<'_>) -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let served = serve(&connection, load);
    // The writing thread ends when nobody can send any more.
    drop(connection);
    threads.join().map_err(|error| format!("the connection to the editor broke: {error}"))?;
    served
}

/// Serves one editor.
pub fn serve(connection: &Connection, load: &Load<'_>) -> Result<(), String> {
    let (id, parameters) = connection.initialize_start().map_err(|error| error.to_string())?;
    let client = protocol::Client::of(&parameters);
    let answer = protocol::welcome(&client);
    connection.initialize_finish(id, answer).map_err(|error| error.to_string())?;
    Server::new(connection, client, load).run()
}
