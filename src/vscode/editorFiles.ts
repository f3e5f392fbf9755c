/**
 * Files as the person sees them (P1): of a file that is open with unsaved changes, the text in the editor is what a tool reads
 * and what its change is based on, and the change goes through the editor, so that undo takes it back. Everything else is the
 * disk's.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';

import * as vscode from 'vscode';

import { PathError } from '../permissions/paths.ts';
import { FileChangedError, type FileAccess } from '../tools/tool.ts';
import { ToolError } from '../tools/toolError.ts';

export class EditorFiles implements FileAccess {
  readonly #disk: FileAccess;

  constructor(disk: FileAccess) {
    this.#disk = disk;
  }

  async read(file: string): Promise<Uint8Array> {
    const document = await openDocument(file);
    return document?.isDirty === true ? encode(document.getText(), document) : this.#disk.read(file);
  }

  async unsaved(): Promise<string[]> {
    const open = await openDocuments();
    return [...new Set(open.filter(({ document }) => document.isDirty).map(({ real }) => real))];
  }

  async write(file: string, content: Uint8Array, expected: Uint8Array | null): Promise<Uint8Array> {
    refuseDirtyNotebook(file);
    const document = await openDocument(file);
    if (document === undefined) return this.#disk.write(file, content, expected);
    const { version } = document;
    const text = await decode(content, document);
    const fits = text !== undefined && same(await encode(text, document), content);
    const based = same(await encode(document.getText(), document), expected);
    const current = document.isDirty || same(await this.#disk.read(file).catch(() => null), expected);
    if (document.version !== version) throw changed(file);
    // A saved document follows its file, which may hold what a document cannot (mixed line endings, another encoding), and
    // whose change VS Code may not have noticed yet.
    if (!document.isDirty && !(fits && based && current)) return this.#disk.write(file, content, expected);
    if (!based) throw changed(file);
    if (!fits)
      throw new ToolError(
        `${file} has unsaved changes in the editor, which cannot hold the new content as it is (mixed line endings, or ` +
          'characters that its encoding lacks). Ask the person to save or close it first.',
      );
    await replaceText(document, text, file);
    // Saving may run a formatter. What cannot be read any more was there for a moment.
    return this.#disk.read(file).catch(() => content);
  }
}

/** The open document of a file (an absolute real path), also when it was opened through a link. */
async function openDocument(file: string): Promise<vscode.TextDocument | undefined> {
  const found = (await openDocuments()).filter(({ real }) => real === file).map(({ document }) => document);
  return found.find((document) => document.isDirty) ?? found[0];
}

async function openDocuments(): Promise<{ document: vscode.TextDocument; real: string }[]> {
  const documents = vscode.workspace.textDocuments.filter(({ uri, isClosed }) => uri.scheme === 'file' && !isClosed);
  return Promise.all(
    documents.map(async (document) => {
      const { fsPath } = document.uri;
      return { document, real: await realpath(fsPath).catch(() => path.resolve(fsPath)) };
    }),
  );
}

function refuseDirtyNotebook(file: string): void {
  const open = vscode.workspace.notebookDocuments.find(({ uri }) => uri.scheme === 'file' && uri.fsPath === file);
  if (open?.isDirty === true)
    throw new ToolError(`${file} is open as a notebook with unsaved changes. Ask the person to save it first.`);
}

async function encode(text: string, { encoding }: vscode.TextDocument): Promise<Uint8Array> {
  return vscode.workspace.encode(text, { encoding });
}

/** Undefined when a document cannot hold it: it is binary, or its line endings are mixed. */
async function decode(content: Uint8Array, { encoding }: vscode.TextDocument): Promise<string | undefined> {
  let text: string;
  try {
    text = await vscode.workspace.decode(content, { encoding });
  } catch {
    return undefined;
  }
  return text.replace(/\r\n|\r|\n/g, eolOf(text)) === text ? text : undefined;
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Replaces what differs, so that cursors elsewhere stay, and saves. */
async function replaceText(document: vscode.TextDocument, text: string, file: string): Promise<void> {
  const before = document.getText();
  const [start, end, inserted] = difference(before, text);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  const edit = new vscode.WorkspaceEdit();
  const eol = eolOf(text) === '\r\n' ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF;
  const edits = [vscode.TextEdit.replace(range, inserted)];
  if (eol !== document.eol && text.includes('\n')) edits.push(vscode.TextEdit.setEndOfLine(eol));
  edit.set(document.uri, edits);
  await checkStillLeadsTo(file, document);
  // VS Code refuses the edit when the person typed since the text was read here.
  if (!(await vscode.workspace.applyEdit(edit))) throw changed(document.uri.fsPath);
  await checkStillLeadsTo(file, document);
  if (!(await document.save()))
    throw new ToolError(
      `${document.uri.fsPath} was changed in the editor, but it could not be saved; it is still open there.`,
    );
}

/** VS Code saves by name, through whatever link is there by then: this leaves no more than the instant until it does (P4). */
async function checkStillLeadsTo(file: string, { uri }: vscode.TextDocument): Promise<void> {
  const real = await realpath(uri.fsPath).catch(() => undefined);
  if (real !== undefined && real !== file)
    throw new PathError(`${file} was moved, or a link was put in its place, while the call ran. It was not saved.`);
}

/** The part of `before` that a replacement must cover, and what goes there. Never cuts a line ending or a character in two. */
function difference(before: string, after: string): [start: number, end: number, inserted: string] {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  while (start > 0 && isSeam(before, after, start)) start--;
  let tail = 0;
  while (tail < most - start && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  while (tail > 0 && isSeam(before, after, before.length - tail, after.length - tail)) tail--;
  return [start, before.length - tail, after.slice(start, after.length - tail)];
}

/** Whether a cut at this place in either text would part `\r\n` or a surrogate pair. */
function isSeam(before: string, after: string, at: number, atAfter = at): boolean {
  const parts = (text: string, place: number) =>
    /^(\r\n|[\uD800-\uDBFF][\uDC00-\uDFFF])$/.test(text.slice(place - 1, place + 1));
  return parts(before, at) || parts(after, atAfter);
}

function same(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && Buffer.compare(a, b) === 0;
}

function changed(file: string): FileChangedError {
  return new FileChangedError(`${file} was changed meanwhile. Read it again before changing it.`);
}
