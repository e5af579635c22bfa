import base from '../eslint.config.mjs';

export default [
  ...base.filter(({ ignores }) => ignores === undefined),
  {
    // node:test waits for what it is told of; a folder is always open.
    files: ['**/*.ts'],
    rules: { '@typescript-eslint/no-floating-promises': 'off' },
  },
  { files: ['driver/*.js'], languageOptions: { globals: { exports: 'writable', process: 'readonly', require: 'readonly' } } },
];
