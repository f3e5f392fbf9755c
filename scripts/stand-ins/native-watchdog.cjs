// Stands in for VS Code's @vscode/native-watchdog, which would have to be compiled: ends a process whose parent is gone.
exports.start = (parent) => {
  setInterval(() => {
    try {
      process.kill(parent, 0);
    } catch {
      process.exit(87);
    }
  }, 3000).unref();
};
exports.exit = (code) => process.exit(code || 0);
