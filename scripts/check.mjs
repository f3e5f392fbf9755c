/** `npm run check [-- types eslint …]`: the static checks, all or those whose name begins with a word given. */
import { CHECKS, runChecks } from './lib/checks.mjs';
import { duration, say, script, Trouble } from './lib/say.mjs';

await script(async () => {
  const words = process.argv.slice(2);
  const chosen = CHECKS.filter(({ name }) => words.length === 0 || words.some((word) => name.startsWith(word)));
  if (chosen.length === 0) {
    throw new Trouble(`no check is called ${words.join(' ')}; there are ${CHECKS.map(({ name }) => name).join(', ')}`);
  }
  let failed = 0;
  await runChecks(chosen, ({ name, code, output, ms }) => {
    if (code !== 0) failed += 1;
    say(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${duration(ms)})`);
    if (code !== 0) say(output.trimEnd().replace(/^/gm, '     '));
  });
  if (failed > 0) process.exitCode = 1;
});
