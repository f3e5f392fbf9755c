/** The page of the chat panel. Nothing remote, no inline script or style; the script alone carries the nonce (P7). */
import { randomBytes } from 'node:crypto';

import * as vscode from 'vscode';

/** The hash of nothing: by an empty <style> the control kit asks at load whether the browser knows `:focus-visible`. */
const EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

/** The only folder that the page may load from. */
export function chatResources(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, 'dist', 'webview');
}

export function chatHtml(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(18).toString('base64');
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(chatResources(extension), name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} ${EMPTY_STYLE}`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
    // These two do not follow default-src.
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Polyglav</title>
    <link rel="stylesheet" href="${file('codicon.css')}" id="vscode-codicon-stylesheet">
    <link rel="stylesheet" href="${file('main.css')}">
  </head>
  <body>
    <polyglav-panel></polyglav-panel>
    <script nonce="${nonce}" src="${file('main.js')}"></script>
  </body>
</html>`;
}
