import assert from 'node:assert/strict';
import fc from 'fast-check';

import { Blocks } from '../../../webview-ui/answer/blocks.ts';
import { linkTarget } from '../../../webview-ui/answer/links.ts';
import { md } from '../../../webview-ui/answer/markdown.ts';

describe('links of an answer', () => {
  it('lead to the web, to mail and to files below the workspace', () => {
    assert.deepEqual(linkTarget('https://example.com/a?b#c'), { kind: 'web', href: 'https://example.com/a?b#c' });
    assert.deepEqual(linkTarget('mailto:me@example.com'), { kind: 'web', href: 'mailto:me@example.com' });
    assert.deepEqual(linkTarget('src/a.ts'), { kind: 'file', path: 'src/a.ts' });
    assert.deepEqual(linkTarget('./a/../b%20c.ts#L12-L20'), { kind: 'file', path: './a/../b c.ts', line: 12 });
    assert.deepEqual(linkTarget('src/a.ts:7:3'), { kind: 'file', path: 'src/a.ts', line: 7 });
  });

  it('lead nowhere else', () => {
    const hostile = [
      ...[
        'javascript:alert(1)',
        'JaVaScRiPt:alert(1)',
        'data:text/html,x',
        'vscode://a/b',
        'command:workbench.x',
        'file:///etc/passwd',
      ],
      ...[
        '/etc/passwd',
        '../x',
        'a/../../x',
        '..%2f..%2fx',
        '~/x',
        '//evil.example/x',
        '\\\\host\\share',
        'C:\\x',
        'c:x',
        '#top',
        '',
        '%',
      ],
      ...['https://', 'http:x', 'mailto://x', 'java\u0000script:x', 'a\u202Eb', `a${'x'.repeat(5000)}`],
    ];
    for (const href of hostile) assert.equal(linkTarget(href), undefined, href);
  });
});

describe('Markdown of an answer', () => {
  it('makes no element but its own of hostile text', () => {
    const hostile = [
      ...[
        '<script>x</script>',
        '<img src=x onerror=y>',
        '<iframe src=x>',
        '<form action=x>',
        '<style>x</style>',
        '<base href=x>',
      ],
      ...[
        '<meta http-equiv=refresh>',
        '<a href="javascript:x">y</a>',
        '```"><img onerror=x>\n<script>\n```',
        '`<b onclick=x>`',
      ],
      ...['[x](javascript:y)', '[x](data:y)', '[x](vscode:y)', '[x](command:y)', '[x](file:///y)', '[x](../../y)'],
      ...[
        '![x](javascript:y)',
        '![x](data:image/png;base64,AA)',
        '<javascript:x>',
        '[x]: javascript:y\n\n[x]',
        '[x](<a" onclick="b>)',
      ],
    ];
    for (const text of hostile) {
      const html = md.render(text);
      const tags = [...html.matchAll(/<(\w+)([^>]*)>/g)];
      for (const [whole, tag = '', attributes = ''] of tags) {
        assert.match(tag, /^(p|pre|code|div|span|button|i|a)$/, `${text} → ${whole}`);
        assert.doesNotMatch(
          attributes.replace(/"[^"]*"/g, ''),
          /\bon\w+|\bhref\b|\bsrc\b|\bstyle\b/i,
          `${text} → ${whole}`,
        );
      }
    }
  });

  it('shows no image, only a link to it', () => {
    const html = md.render(
      '![a cat](https://example.com/cat.png) [![b](https://example.com/b.png)](https://example.com)',
    );
    assert.doesNotMatch(html, /<img/);
    assert.equal(html.match(/<a /g)?.length, 2);
  });

  it('takes file names for no web sites', () => {
    assert.doesNotMatch(md.render('see README.md and main.rs'), /<a/);
    assert.match(md.render('see https://example.com.'), /data-href="https:\/\/example.com"/);
  });

  it('aligns a table by classes', () => {
    const html = md.render('|a|b|\n|-:|:-:|\n|1|2|');
    assert.match(html, /<td class="align-right">1/);
    assert.doesNotMatch(html, /style=/);
  });
});

describe('Markdown that grows', () => {
  const piece = fc.constantFrom(
    ...[
      '# Title\n',
      'A line of **bold** text\n',
      '\n',
      '- item\n',
      '  more\n',
      '1. one\n',
      '```ts\n',
      '```\n',
      'const x = 1;\n',
    ],
    ...[
      '> quote\n',
      '| a | b |\n',
      '|---|---|\n',
      '---\n',
      '    indented\n',
      '~~~\n',
      'tail without end',
      '\t- x\n',
      '===\n',
    ],
  );

  it('ends as the whole text would be drawn', () => {
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }),
        (pieces, steps) => {
          const text = pieces.join('');
          const blocks = new Blocks();
          let grown: string[] = [];
          let at = 0;
          for (let step = 0; at < text.length; step += 1) {
            at += steps[step % steps.length] ?? 1;
            const next = blocks.grow(text.slice(0, at));
            assert.deepEqual(next.slice(0, Math.max(0, grown.length - 1)), grown.slice(0, -1), 'what was final stays');
            grown = next;
          }
          assert.deepEqual(grown, new Blocks().finish(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('does not take half of a link’s definition for the whole', () => {
    const blocks = new Blocks();
    blocks.grow('para\n\n[a]: https://exam');
    blocks.grow('para\n\n[a]: https://example.com\n\n');
    assert.match(
      blocks.grow('para\n\n[a]: https://example.com\n\nsee [a] now').at(-1) ?? '',
      /data-href="https:\/\/example.com"/,
    );
  });

  it('does not cost the square of its length', () => {
    const paragraph = 'Some words with `code` and **weight** in a paragraph of usual length, and one more clause.\n\n';
    const growing = (count: number): number => {
      const blocks = new Blocks();
      let text = '';
      const from = performance.now();
      for (let at = 0; at < count; at += 1) blocks.grow((text += paragraph));
      return performance.now() - from;
    };
    growing(100);
    const from = performance.now();
    new Blocks().finish(paragraph.repeat(1000));
    const once = performance.now() - from;
    // To draw all of it again with each paragraph would take five hundred times as long as to draw it once.
    const steps = growing(1000);
    assert.ok(steps < once * 150, `once took ${once} ms, step by step ${steps} ms`);
  });

  it('draws a table that nobody could read as it was written', () => {
    const table = (rows: number, columns: number) =>
      ['x', '-', ...new Array<string>(rows).fill('c')].map((cell) => `| ${`${cell} |`.repeat(columns)}`).join('\n');
    assert.match(new Blocks().finish(table(100, 10)).join(''), /<td>/);
    for (const huge of [table(10_000, 10), table(1, 50_000)]) {
      const blocks = new Blocks().finish(`before\n\n${huge}\n\nbehind`);
      assert.equal(blocks.length, 3);
      assert.doesNotMatch(blocks.join(''), /<t[dh]/);
      assert.match(blocks[1]!, /<pre.*\| x \|/s);
      assert.equal(blocks[2], '<p>behind</p>\n');
    }
  });

  it('spells out what turns the text around or cannot be seen', () => {
    const hidden = 'a\u202Eb\u200Bc\u2066d';
    const shown = 'a⟨U+202E⟩b⟨U+200B⟩c⟨U+2066⟩d';
    for (const text of [hidden, `# ${hidden}`, `**${hidden}**`, `\`${hidden}\``, `- ${hidden}`, `> ${hidden}`])
      assert.ok(new Blocks().finish(text).join('').includes(shown), text);
    for (const text of [`\`\`\`\n${hidden}\n\`\`\``, `[${hidden}](https://a.test)`, `![${hidden}](https://a.test)`])
      assert.ok(new Blocks().finish(text).join('').includes(shown), text);
    assert.equal(new Blocks().finish('سلام‌ها 👩‍💻').join(''), '<p>سلام‌ها 👩‍💻</p>\n');
  });

  it('counts lines as the parser does', () => {
    const blocks = new Blocks();
    blocks.grow('one\r\n\rtwo\r\rthree');
    assert.equal(
      blocks.grow('one\r\n\rtwo\r\rthree\n\nfour').join(''),
      '<p>one</p>\n<p>two</p>\n<p>three</p>\n<p>four</p>\n',
    );
  });
});
