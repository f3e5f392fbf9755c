/** The JSON Schema of a configuration file, for completion and hints in the editor (U7). */
import { z } from 'zod';

import { configFile } from './schema.ts';

export function configJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(configFile, { target: 'draft-7' });
  // The last two are the editor's own keywords: the files are JSON with comments.
  return { $schema, title: 'Polyglav configuration', ...schema, allowComments: true, allowTrailingCommas: true };
}
