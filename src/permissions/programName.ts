/**
 * Which program a name runs: `/usr/bin/Env.exe` is `env`, where a disk or a system does not tell these apart. All that is known of
 * programs is looked up by this.
 */
export function programName(name: string): string {
  return name
    .replace(/^.*[\\/]/s, '')
    .toLowerCase()
    .replace(/\.(?:exe|com|bat|cmd)$/, '');
}
