/**
 * Records which chains of certificates Go's crypto/x509 accepts, for the tests. Needs Go.
 *
 *   npm run record:certificates -- [--out FILE]
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: { out: { type: 'string', default: join(import.meta.dirname, '../conformance/recorded/certificates.jsonl') } },
})

const results = execFileSync('go', ['run', '.'], { cwd: join(import.meta.dirname, 'certificates/make'), encoding: 'utf8' })
writeFileSync(values.out, results)
console.log(`${results.trimEnd().split('\n').length} chains are recorded`)
