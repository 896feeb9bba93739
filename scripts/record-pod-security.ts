/**
 * Records the violations that kube-apiserver's own checks find in generated Pods, for the tests. Needs Go.
 *
 *   npm run record:pod-security -- [--count N] [--seed N] [--out FILE]
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generatedPods } from './pod-security/pods.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '110' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: join(import.meta.dirname, '../conformance/recorded/pod-security.jsonl') },
  },
})

const pods = generatedPods(Number(values.count), Number(values.seed)).map((pod) => JSON.stringify(pod))
const results = execFileSync('go', ['run', '.'], {
  cwd: join(import.meta.dirname, 'pod-security/evaluate'),
  input: pods.join('\n'),
  encoding: 'utf8',
  maxBuffer: 1 << 28,
})
const lines = results.trimEnd().split('\n')
writeFileSync(values.out, pods.map((pod, index) => `{"pod":${pod},"results":${lines[index] ?? ''}}\n`).join(''))
console.log(`${pods.length} Pods are recorded`)
