const test = require('node:test');
const assert = require('node:assert');
const semver = require('./index.js');

test('versions are read and compared', () => {
  assert.equal(semver.valid('1.2.3'), '1.2.3');
  assert.equal(semver.clean('  =v1.2.3   '), '1.2.3');
  assert.equal(semver.gt('1.2.3', '9.8.7'), false);
  assert.equal(semver.lt('1.2.3-alpha.9', '1.2.3-alpha.10'), true);
  assert.deepEqual(semver.sort(['1.2.3', '1.2.3-beta', '1.10.0']), ['1.2.3-beta', '1.2.3', '1.10.0']);
});

test('ranges hold versions', () => {
  assert.equal(semver.satisfies('1.2.3', '1.x || >=2.5.0 || 5.0.0 - 7.2.3'), true);
  assert.equal(semver.satisfies('1.3.0', '~1.2.3'), false);
  assert.equal(semver.satisfies('0.2.5', '^0.2.3'), true);
  assert.equal(semver.satisfies('0.3.0', '^0.2.3'), false);
  assert.equal(semver.satisfies('3.4.5-alpha.9', '>1.2.3-alpha.3'), false);
  assert.equal(semver.minVersion('>=1.0.0').version, '1.0.0');
  assert.equal(semver.maxSatisfying(['1.2.3', '1.2.9', '1.3.0'], '~1.2'), '1.2.9');
});

test('versions are made', () => {
  assert.equal(semver.inc('1.2.3', 'prerelease', 'beta'), '1.2.4-beta.0');
  assert.equal(semver.inc('1.2.4-beta.0', 'prerelease'), '1.2.4-beta.1');
  assert.equal(semver.inc('1.2.3', 'minor'), '1.3.0');
  assert.equal(semver.valid(semver.coerce('42.6.7.9.3-alpha')), '42.6.7');
  assert.equal(semver.diff('1.2.3', '1.3.0'), 'minor');
});

test('ranges are compared', () => {
  assert.equal(semver.subset('~1.2.3', '^1.0.0'), true);
  assert.equal(semver.intersects('^1.2.0', '>=1.5.0'), true);
  assert.equal(semver.gtr('2.0.0', '^1.2.3'), true);
  assert.equal(semver.outside('0.9.0', '^1.2.3', '<'), true);
  assert.equal(semver.simplifyRange(['1.0.0', '1.0.1', '1.1.0'], '1.0.0 || 1.0.1'), '<=1.0.1');
});
