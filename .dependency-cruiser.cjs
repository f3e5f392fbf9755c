// The arrows of docs/architecture.md, which prints this table. A room of src/ may know the rooms listed beside it, text/, itself
// and npm packages; nothing else.

const LOWER = ['session', 'config', 'permissions', 'providers', 'tools', 'context', 'agent', 'commands', 'transcript'];

/** @type {Record<string, string[]>} */
const MAY_KNOW = {
  text: [],
  session: [],
  protocol: ['session', 'agent'],
  transcript: ['session'],
  config: ['session', 'permissions'],
  permissions: ['session', 'config'],
  providers: ['session', 'config'],
  tools: ['session', 'config', 'permissions'],
  context: ['session', 'config', 'providers', 'tools'],
  agent: ['session', 'config', 'permissions', 'providers', 'tools', 'context'],
  commands: ['session', 'config', 'context', 'agent', 'transcript'],
  cli: LOWER,
  vscode: [...LOWER, 'protocol'],
};

/** What a room takes from another room only as types, or only from one file of it. */
const NARROW = [
  {
    name: 'config-knows-the-command-pattern-only',
    comment: 'the form of a pattern is checked where it is written; what it allows is for the policy to say',
    from: { path: '^src/config/' },
    to: { path: '^src/permissions/', pathNot: '^src/permissions/commandPattern\\.ts$' },
  },
  {
    name: 'context-knows-the-provider-interface-only',
    comment: 'context/ turns the record into messages; which provider sends them is not its business',
    from: { path: '^src/context/' },
    to: { path: '^src/providers/', pathNot: '^src/providers/provider\\.ts$' },
  },
  {
    name: 'protocol-knows-the-run-events-only',
    comment: 'what a run says is declared by the run; the panel is told it in the same words',
    from: { path: '^src/protocol/' },
    to: { path: '^src/agent/', pathNot: '^src/agent/events\\.ts$' },
  },
  {
    name: 'providers-know-the-config-schema-only',
    comment: 'a provider is handed its configuration; it never loads it',
    from: { path: '^src/providers/' },
    to: { path: '^src/config/', pathNot: '^src/config/(schema|secretValues)\\.ts$' },
  },
  {
    name: 'permissions-know-the-config-schema-and-rules-only',
    comment: 'the policy is handed its rules; it never loads them',
    from: { path: '^src/permissions/' },
    to: { path: '^src/config/', pathNot: '^src/config/(permissionSchema|rules)\\.ts$' },
  },
];

const rooms = Object.entries(MAY_KNOW).map(([room, known]) => ({
  name: `${room}-knows-${known.join('-') || 'nobody'}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^(src|webview-ui|test|scripts|bench)/', pathNot: `^src/(${[room, 'text', ...known].join('|')})/` },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...rooms,
    ...NARROW.map((rule) => ({ severity: 'error', ...rule })),
    {
      name: 'extension-only-wires',
      comment: 'extension.ts builds the parts and hands them to each other; nobody imports it',
      severity: 'error',
      from: { pathNot: '^(src/extension\\.ts$|test/)' },
      to: { path: '^src/extension\\.ts$' },
    },
    {
      name: 'vscode-only-at-the-top',
      comment: 'the engine runs headless; only src/vscode/ and src/extension.ts know the editor',
      severity: 'error',
      from: { path: '^(src|webview-ui)/', pathNot: '^src/(vscode/|extension\\.ts$)' },
      to: { path: '^(node_modules/)?(@types/)?vscode($|/)' },
    },
    {
      name: 'webview-knows-session-and-protocol',
      comment: 'the panel is a view over the protocol and the fold',
      severity: 'error',
      from: { path: '^webview-ui/' },
      to: { path: '^(src|test|scripts|bench)/', pathNot: '^src/(session|protocol)/' },
    },
    {
      name: 'webview-is-a-browser',
      comment: 'what it takes from src/ must not reach a Node module either; the bundler refuses that',
      severity: 'error',
      from: { path: '^webview-ui/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'nobody-knows-the-webview',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^webview-ui/' },
    },
    {
      name: 'product-knows-no-test',
      severity: 'error',
      from: { path: '^(src|webview-ui)/' },
      to: { path: '^(test|scripts|bench)/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'all-resolved', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^vscode$' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
