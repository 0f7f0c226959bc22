// Starts `unwaited server` and connects the editor to it. Everything else is the server's.

const { workspace, window, commands } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** @param {import("vscode").ExtensionContext} context */
async function activate(context) {
  context.subscriptions.push(
    commands.registerCommand("unwaited.restart", restart),
    workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("unwaited.path")) {
        await restart();
      }
    }),
  );
  await start();
}

async function deactivate() {
  await client?.stop();
  client = undefined;
}

async function restart() {
  await deactivate();
  await start();
}

async function start() {
  const command = program();
  client = new LanguageClient(
    "unwaited",
    "unwaited",
    { command, args: ["server"] },
    {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "untitled", language: "python" },
        { scheme: "file", language: "rust" },
      ],
      synchronize: { configurationSection: "unwaited" },
    },
  );
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    await window.showErrorMessage(
      `unwaited: \`${command} server\` cannot be started: ${reason}. Install it, or set "unwaited.path".`,
    );
  }
}

/** The program to start, with the folder put in where the setting asks for it. */
function program() {
  const path = workspace.getConfiguration("unwaited").get("path", "unwaited");
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return path.replaceAll("${workspaceFolder}", folder);
}

module.exports = { activate, deactivate };
