// Stands in for VS Code's @vscode/spdlog, which would have to be compiled: the log files, written synchronously.
const fs = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];

class Logger {
  constructor(_type, _name, file) {
    this.file = file;
    this.level = 2;
    this.raw = false;
    if (file) fs.mkdirSync(path.dirname(file), { recursive: true });
  }

  write(level, message) {
    if (level < this.level || !this.file) return;
    const time = new Date().toISOString().replace('T', ' ').slice(0, 23);
    try {
      fs.appendFileSync(this.file, this.raw ? message : `${time} [${LEVELS[level]}] ${message}\n`);
    } catch {
      // a log that cannot be written must not stop the editor
    }
  }

  trace(message) {
    this.write(0, message);
  }
  debug(message) {
    this.write(1, message);
  }
  info(message) {
    this.write(2, message);
  }
  warn(message) {
    this.write(3, message);
  }
  error(message) {
    this.write(4, message);
  }
  critical(message) {
    this.write(5, message);
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  setPattern() {
    this.raw = false;
  }
  clearFormatters() {
    this.raw = true;
  }
  flush() {}
  drop() {
    this.file = undefined;
  }
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = async (name, file) => new Logger('rotating', name, file);
exports.createAsyncRotatingLogger = exports.createRotatingLogger;
