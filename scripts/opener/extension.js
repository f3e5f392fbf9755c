// Polyglav itself never activates without being asked; `npm start` does the asking, with this second extension.
const vscode = require('vscode');

exports.activate = () => vscode.commands.executeCommand('polyglav.openChat');
