/** Somebody puts a link in the place of a file or folder, and takes it away again, while tools work there (P4). */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

import { resolveAsDecided } from '../../../src/permissions/paths.ts';
import { fileEdit } from '../../../src/tools/fileEdit.ts';
import { fileList } from '../../../src/tools/fileList.ts';
import { fileRead } from '../../../src/tools/fileRead.ts';
import { fileSearch } from '../../../src/tools/fileSearch.ts';
import { fileWrite } from '../../../src/tools/fileWrite.ts';
import type { Tool, ToolContext } from '../../../src/tools/tool.ts';
import { Workspace } from './workspace.ts';

const SECRET = 'canary outside';
const ROUNDS = 300;

/** Swaps `place` between what it is and a link as fast as it can, until a message comes. */
const SWAPPER = `
const { workerData, parentPort } = require('node:worker_threads');
const fs = require('node:fs');
const { place, aside, link } = workerData;
let goesOn = true;
parentPort.on('message', () => (goesOn = false));
(function swap() {
  for (let round = 0; round < 50; round++) {
    fs.renameSync(place, aside);
    try { fs.symlinkSync(link, place); } catch {}
    // What a tool made in this instant gives way; of a link only the link goes.
    for (;;) try { fs.rmSync(place, { recursive: true, force: true }); fs.renameSync(aside, place); break; } catch {}
  }
  if (goesOn) setImmediate(swap);
  else parentPort.postMessage('ended');
})();`;

describe('links that are swapped while a tool runs (P4)', function () {
  this.timeout(60_000);
  let outer: Workspace;
  let inside: string;
  let outside: string;

  beforeEach(async () => {
    outer = await Workspace.make();
    inside = outer.path('workspace');
    outside = outer.path('outside');
    await mkdir(path.join(inside, 'folder'), { recursive: true });
    await mkdir(outside);
    await writeFile(path.join(outside, 'a.txt'), SECRET);
    await writeFile(path.join(outside, 'only-outside.txt'), SECRET);
    await writeFile(path.join(inside, 'folder', 'a.txt'), 'harmless');
  });
  afterEach(() => outer.remove());

  /** What a call gets when it was decided while nothing was swapped. */
  function context(decided: string): ToolContext {
    return {
      ...outer.context(),
      workspace: inside,
      resolve: (given) => resolveAsDecided(inside, given, decided),
    };
  }

  const CALLS: [tool: Tool, input: Record<string, unknown>, decided: string][] = [
    [fileRead, { path: 'folder/a.txt' }, 'folder/a.txt'],
    [fileSearch, { pattern: '.', path: 'folder/a.txt' }, 'folder/a.txt'],
    [fileSearch, { pattern: '.', path: 'folder' }, 'folder'],
    [fileList, { path: 'folder' }, 'folder'],
    [fileList, { path: '.', pattern: '**' }, '.'],
    [fileWrite, { path: 'folder/new.txt', content: 'from the model' }, 'folder/new.txt'],
    [fileWrite, { path: 'folder/deep/new.txt', content: 'from the model' }, 'folder/deep/new.txt'],
    [fileEdit, { path: 'folder/a.txt', old: 'harmless', new: 'harmless' }, 'folder/a.txt'],
    [fileEdit, { path: 'folder/a.txt', old: 'canary', new: 'changed' }, 'folder/a.txt'],
    [fileRead, { path: 'folder/only-outside.tx' }, 'folder/only-outside.tx'],
  ];

  for (const swapped of ['folder', 'folder/a.txt'])
    it(`are not followed where ${swapped} is swapped`, async function () {
      // Elsewhere an instant is left between the look and the step.
      if (process.platform !== 'linux') this.skip();
      const place = path.join(inside, swapped);
      const link = swapped === 'folder' ? outside : path.join(outside, 'a.txt');
      const swapper = new Worker(SWAPPER, {
        eval: true,
        workerData: { place, aside: outer.path('aside'), link },
      });
      const ended = new Promise((resolve) => swapper.once('exit', resolve));
      // Within a folder ripgrep opens by name what it found to be a file.
      const calls = CALLS.filter(
        ([tool, { path: given }]) => tool !== fileSearch || given !== 'folder' || swapped === 'folder',
      );
      const outputs: string[] = [];
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const [tool, input, decided] = calls[round % calls.length]!;
          const result = await tool.execute(input, context(path.join(inside, decided))).catch(String);
          outputs.push(typeof result === 'string' ? result : result.output);
        }
      } finally {
        swapper.once('message', () => void swapper.terminate());
        swapper.postMessage('end');
        await ended;
      }
      assert.deepEqual((await readdir(outside)).sort(), ['a.txt', 'only-outside.txt']);
      for (const name of await readdir(outside)) assert.equal(await readFile(path.join(outside, name), 'utf8'), SECRET);
      for (const output of outputs) assert.doesNotMatch(output, /canary outside|only-outside\.txt/);
      assert.ok(outputs.some((output) => /link was put in its place|led elsewhere|harmless|Created/.test(output)));
    });
});
