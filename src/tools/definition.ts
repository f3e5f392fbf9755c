/** A tool as a provider is told of it. */
import { z } from 'zod';

import type { Tool } from './tool.ts';

/** Name, description and the JSON Schema of the argument object; the same bytes each time (X1). */
export function toolDefinition(tool: Tool): { name: string; description: string; parameters: Record<string, unknown> } {
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // What zod adds to every whole number says nothing to a model.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // The same, in a key that gateways to Gemini know.
      if (jsonSchema.type === 'integer' && jsonSchema.exclusiveMinimum === 0) {
        delete jsonSchema.exclusiveMinimum;
        jsonSchema.minimum = 1;
      }
    },
  });
  return { name: tool.name, description: tool.description, parameters };
}
