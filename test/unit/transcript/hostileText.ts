/** Texts made of what could end a Markdown block or begin another one (E2). */
import fc from 'fast-check';

export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '```',
          '````',
          '``````````',
          '~~~',
          '~~~~',
          '`',
          '# Heading',
          '---',
          '===',
          '| a | b |',
          '<!--',
          '<div>',
          '<script>',
        ],
        ...[
          '- ',
          '1. ',
          '> ',
          '    ',
          '\t',
          ' ',
          '\n',
          '\n\n',
          '\r\n',
          '\r',
          '[a]: b',
          '## Errors',
          '\\',
          'text',
          '\0',
          '&amp;',
        ],
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(''));

/** What a CommonMark parser reads instead: line ends of any kind are line feeds, NUL is the replacement character. */
export function asParsed(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD');
}
