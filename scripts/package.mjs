/** `npm run package`: a production build, packed as polyglav-<version>.vsix. */
import path from 'node:path';
import { build, packageVsix } from './lib/build.mjs';
import { say, script, step } from './lib/say.mjs';

await script(async () => {
  await step('Building', () => build(['--production']));
  const { file, bytes } = await step('Packing', packageVsix);
  say(`${path.basename(file)}: ${(bytes / 1000).toFixed(0)} kB`);
});
