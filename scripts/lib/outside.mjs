/**
 * A home and a temporary folder for the tests of one stage, with canaries in, beside and above them (P4): whatever tests and
 * product do outside of the folders that they are given is seen when the stage is over. Nobody else works there, so that other
 * programs on the machine raise no alarm.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const WORDS = 'A canary: nothing that is tested may touch this file.\n';
/** Of a home: what browsers, VS Code, npm and the system's own libraries make for themselves. */
const OF_OTHERS_AT_HOME = /^\.(cache|config|local|pki|npm|nv|vscode.*|dbus)$|^(AppData|Library)$/;
/** Of a temporary folder: what the tests make by `mkdtemp`, and what browsers, VS Code and Node keep while they run. */
const OF_OTHERS_IN_TEMP =
  /^(polyglav-|playwright|pw-|\.?(org\.chromium|com\.google)|chromium|scoped_dir|vscode-|node-compile-cache|v8-)/;

export class Outside {
  /** What a stage's processes have in their environment. */
  env;
  #root;
  /** @type {Map<string, string>} */
  #canaries = new Map();

  constructor() {
    // Sockets stand in here, whose paths may have about a hundred characters; macOS has a long one already.
    const base = process.platform === 'darwin' ? '/tmp' : os.tmpdir();
    this.#root = fs.realpathSync(fs.mkdtempSync(path.join(base, 'pg-')));
    const [home, temp] = [path.join(this.#root, 'home'), path.join(this.#root, 'tmp')];
    for (const folder of [this.#root, home, path.join(home, '.config'), path.join(home, 'work'), temp])
      this.#plant(folder);
    this.env = {
      ...{ HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: path.join(home, '.config') },
      ...{ TMPDIR: temp, TMP: temp, TEMP: temp },
    };
  }

  /** @param {string} folder */
  #plant(folder) {
    fs.mkdirSync(folder, { recursive: true });
    const file = path.join(folder, 'canary.txt');
    fs.writeFileSync(file, WORDS);
    this.#canaries.set(file, stateOf(file));
  }

  /**
   * What is not as it was, one line each; empty when all is well.
   *
   * @returns {string[]}
   */
  faults() {
    const faults = [];
    for (const [file, state] of this.#canaries) {
      const now = stateOf(file);
      if (now !== state) faults.push(`${file} is not as it was: ${now}, before: ${state}`);
    }
    const expected = {
      '.': /^(canary\.txt|home|tmp)$/,
      home: new RegExp(`^(canary\\.txt|work)$|${OF_OTHERS_AT_HOME.source}`),
      'home/work': /^canary\.txt$/,
      tmp: new RegExp(`^canary\\.txt$|${OF_OTHERS_IN_TEMP.source}`),
    };
    for (const [folder, names] of Object.entries(expected))
      for (const name of fs.readdirSync(path.join(this.#root, folder)))
        if (!names.test(name))
          faults.push(`${path.join(this.#root, folder, name)} was made by something that is tested`);
    return faults;
  }

  remove() {
    fs.rmSync(this.#root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** @param {string} file */
function stateOf(file) {
  try {
    const { mode, nlink } = fs.lstatSync(file);
    return JSON.stringify([fs.readFileSync(file, 'latin1'), mode.toString(8), nlink]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
