const test = require('node:test');
const assert = require('node:assert');
const parse = require('./build/index.cjs');

const parsed = (line, options) => ({ ...parse(line, options) });

test('options and words', () => {
  assert.deepEqual(parsed('--foo=99 --bar 9 word'), { _: ['word'], foo: 99, bar: 9 });
  assert.deepEqual(parsed('-abc 7'), { _: [], a: true, b: true, c: 7 });
  assert.deepEqual(parsed('--no-cache'), { _: [], cache: false });
  assert.deepEqual(parsed('--a.b 1 --a.c 2'), { _: [], a: { b: 1, c: 2 } });
  assert.deepEqual(parsed('a -- b --c'), { _: ['a', 'b', '--c'] });
  assert.deepEqual(parsed('-n5 -m=3'), { _: [], n: 5, m: 3 });
});

test('arrays, counts and defaults', () => {
  assert.deepEqual(parsed('--xs 1 2 --y 3', { array: ['xs'] }), { _: [], xs: [1, 2], y: 3 });
  assert.deepEqual(parsed('-vvv', { count: ['v'] }), { _: [], v: 3 });
  assert.deepEqual(parsed('', { default: { port: 80 } }), { _: [], port: 80 });
  assert.deepEqual(parsed('--at 1 2 3', { narg: { at: 2 } }), { _: [3], at: [1, 2] });
  assert.deepEqual(parsed('--id 007', { string: ['id'] }), { _: [], id: '007' });
});

test('aliases and names of two words', () => {
  const camel = parsed('--dry-run', { boolean: ['dry-run'], alias: { 'dry-run': ['n'] } });
  assert.deepEqual(camel, { _: [], n: true, 'dry-run': true, dryRun: true });
  assert.equal(parse.camelCase('what-is-it'), 'whatIsIt');
  assert.equal(parse.decamelize('whatIsIt'), 'what-is-it');
});

test('quoted arguments', () => {
  assert.deepEqual(parsed("--say 'hello you' --or \"a b\""), { _: [], say: 'hello you', or: 'a b' });
});
