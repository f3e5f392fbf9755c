/** Which variables last from one command of a session to the next. */

/** The shell's own bookkeeping, of which nothing is said. */
const OF_THE_SHELL = new Set(['PWD', 'OLDPWD', 'SHLVL', '_', 'IFS', 'POSIXLY_CORRECT', 'POLYGLAV_CALL', '_polyglav']);

/**
 * With these a later command would do something else than its words say: the shell reads them otherwise, `cd` and `~` lead
 * elsewhere, or a program runs what they name. PATH is not among them, since the environments of Python and Node consist in it; a
 * line that sets it is always asked.
 */
const NEVER_LAST = [
  /^(BASH.*|ENV|SHELLOPTS|PROMPT_COMMAND|PS4|CDPATH|HOME|GLOBIGNORE)$/,
  /^(LD_.*|DYLD_.*|GCONV_PATH|LOCPATH)$/,
  // Who makes a commit is data; the others name programs, repositories, or files that are written.
  /^GIT_(?!(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)$)/,
  /^(PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|SSH_ASKPASS|RIPGREP_CONFIG_PATH)$/,
  /^(NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|PERL5OPT|PERL5LIB|PERL5DB|PERLLIB)$/,
  /^PYTHON(STARTUP|HOME|PATH|BREAKPOINT|USERBASE|PYCACHEPREFIX|WARNINGS|INSPECT)$/,
  /^npm_config_/i,
  /^(RUSTC.*|CARGO_.*|GOFLAGS|CC|CXX|MAVEN_OPTS|GRADLE_OPTS)$/,
  /^(RUBYOPT|RUBYLIB|.*JAVA_OPTIONS|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES)$/,
];

export function isOfTheShell(name: string): boolean {
  return OF_THE_SHELL.has(name);
}

export function neverLasts(name: string): boolean {
  const comparable = process.platform === 'win32' ? name.toUpperCase() : name;
  return NEVER_LAST.some((pattern) => pattern.test(comparable));
}
