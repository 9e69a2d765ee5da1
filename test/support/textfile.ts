// Reads the Prometheus text format as a collector does, and forgives nothing.

import assert from 'node:assert/strict';

const SAMPLE = /^([a-z][a-z0-9_]*)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,(?!\}))?)+\})? (-?\d+(?:\.\d+)?)$/;

/**
 * Values by name and labels. Every metric is typed, explained and listed in one piece; no sample
 * comes twice.
 */
export function samplesOf(text: string): Map<string, number> {
  assert.ok(text.endsWith('\n'), 'the text does not end in a line end');
  const samples = new Map<string, number>();
  const seen = new Set<string>();
  let helped = '';
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP (\S+) \S/.exec(line)?.[1];
    const type = /^# TYPE (\S+) gauge$/.exec(line)?.[1];
    if (help !== undefined) {
      assert.ok(!seen.has(help), `${help} comes twice`);
      seen.add(help);
      helped = help;
    } else if (type !== undefined) {
      assert.equal(type, helped, line);
      current = type;
    } else {
      const [, name, labels = '', value] = SAMPLE.exec(line) ?? [];
      assert.ok(name !== undefined, `no sample: ${line}`);
      assert.equal(name, current, line);
      assert.ok(!samples.has(name + labels), `${line} comes twice`);
      samples.set(name + labels, Number(value));
    }
  }
  return samples;
}
