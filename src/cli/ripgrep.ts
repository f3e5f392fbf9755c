/** The ripgrep binary of the npm package. */

/** Absolute path, or nothing: the package is not part of the bundle, and has no binary for every platform. */
export async function packagedRipgrep(): Promise<string[]> {
  try {
    return [(await import('@vscode/ripgrep')).rgPath];
  } catch {
    return [];
  }
}
