/** What the demo model says without looking at anything. */

export const HELP = `I am the **demo model** that comes with Polyglav: a small script, not a language model. I need no network and no key, and I am here so that you can see how the work looks. Ask me for one of these:

- \`list the files\`, \`list the files in src\`
- \`read README.md\`
- \`search for TODO\`
- \`create a file hello.txt that says Hello\`
- \`in hello.txt replace Hello with Good morning\`
- \`run git status\`
- \`plan a first look at this folder\`
- \`write a long answer\`, \`show me a code sample\`

**For a real model**, write a configuration: \`.polyglav/config.json\` in this folder, or \`~/.polyglav/config.json\` for all folders.

With [Ollama](https://ollama.com) on this machine, after \`ollama pull llama3.2\`:

\`\`\`json
{ "model": "ollama/llama3.2" }
\`\`\`

With any endpoint that speaks OpenAI chat completions; \`api_key_env\` names the environment variable that holds your key:

\`\`\`json
{
  "model": "mine/name-of-the-model",
  "providers": {
    "mine": {
      "type": "openai-chat",
      "base_url": "https://api.example.com/v1",
      "api_key_env": "MINE_API_KEY"
    }
  }
}
\`\`\`

Then choose it with \`/model\`.
`;

export const SAMPLE = `Here is what an answer can hold.

## Code

\`\`\`ts
/** The greatest common divisor of two positive integers. */
export function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}
\`\`\`

The same in Python:

\`\`\`python
def gcd(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a
\`\`\`

A change, as a diff:

\`\`\`diff
-const answer = 41;
+const answer = 42;
\`\`\`

## A list and a table

1. Divide and keep the remainder.
2. Go on with the divisor and the remainder.
   - When the remainder is 0, you are done.

| a | b | gcd |
|--:|--:|----:|
| 12 | 18 | 6 |
| 35 | 64 | 1 |

> Quoted words stand like this, *emphasis* so, and \`inline code\` so.
`;

const LAST_NUMBER = 60;

/** About a thousand words, all of them true. */
export function longAnswer(): string {
  const sections = Array.from({ length: LAST_NUMBER }, (_, index) => section(index + 1));
  return `Here is a long answer: the numbers from 1 to ${LAST_NUMBER}.\n\n${sections.join('\n\n')}\n\nThat was the last one.\n`;
}

function section(number: number): string {
  const divisors = Array.from({ length: number }, (_, index) => index + 1).filter((divisor) => number % divisor === 0);
  const kind =
    divisors.length === 2
      ? 'a prime number'
      : number === 1
        ? 'neither prime nor composite'
        : `divided by ${divisors.join(', ')}`;
  return `### ${number}\n\n${number} is ${number % 2 === 0 ? 'even' : 'odd'} and ${kind}. Its square is ${number ** 2}, and in binary it is written \`${number.toString(2)}\`.`;
}
