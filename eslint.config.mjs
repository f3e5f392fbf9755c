import { defineConfig } from 'eslint/config';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

export default defineConfig(
  {
    ignores: [
      '**/node_modules/',
      'dist/',
      'out/',
      'test-output/',
      '.vscode-host/',
      '.vscode-test/',
      'samples/',
      'scripts/stand-ins/',
      'test/fixtures/',
    ],
  },
  {
    files: ['**/*.ts', '**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.mjs', '.dependency-cruiser.cjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // `== null` asks for null or undefined in one go.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'none', ignoreRestSiblings: true },
      ],
      // Numbers, and values that were narrowed to never, read well in a template; objects do not.
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true, allowNever: true },
      ],
      // `[...text]` is how to get at code points, which is what the record counts in.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // `return refuse(response, …)` and `() => emitter.fire()` are how this code base leaves early and writes a callback.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // The parts of this code base are objects of functions, made by factories; they have no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      // An implementation of an async interface may have nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      // `while (true)` with a break inside is clearer than a flag.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
    },
  },
  {
    files: ['src/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'AbortSignal', property: 'timeout', message: 'Under Node 20 it may never fire: use withTimeLimit.' },
      ],
    },
  },
  {
    files: ['src/cli/**', 'scripts/**', 'bench/**', 'esbuild.mjs', 'test/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**'],
    rules: {
      // In a test `!` says "this must be there", and the test fails loudly when it is not.
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Plain JavaScript: its values often come from JSON and child processes, and the type check already reads its JSDoc.
    files: ['**/*.mjs', '**/*.cjs'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-require-imports': 'off',
    },
  },
  prettier,
);
