/**
 * Records the quota facts that kube-apiserver's own evaluator finds in generated Pods, for the tests. Needs Go.
 *
 *   npm run record:quota -- [--count N] [--seed N] [--out FILE]
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generatedPods } from './quota/pods.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string', default: join(import.meta.dirname, '../conformance/recorded/quota.jsonl') },
  },
})

const pods = generatedPods(Number(values.count), Number(values.seed)).map((pod) => JSON.stringify(pod))
const results = execFileSync('go', ['run', '.'], {
  cwd: join(import.meta.dirname, 'quota/evaluate'),
  input: pods.join('\n'),
  encoding: 'utf8',
  maxBuffer: 1 << 28,
})
const lines = results.trimEnd().split('\n')
writeFileSync(values.out, pods.map((pod, index) => `{"pod":${pod},"facts":${lines[index] ?? ''}}\n`).join(''))
console.log(`${pods.length} Pods are recorded`)
