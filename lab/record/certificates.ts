/** Records which chains of certificates Go's crypto/x509 accepts, for the tests. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, text } from '../command.ts'
import { root } from '../root.ts'

export default command({
  options: { out: text('FILE', 'receives the recording', join(root, 'conformance/recorded/certificates.jsonl')) },
  run({ out }) {
    const results = execFileSync('go', ['run', '.'], { cwd: join(import.meta.dirname, 'certificates/make'), encoding: 'utf8' })
    writeFileSync(out, results)
    console.log(`${results.trimEnd().split('\n').length} chains are recorded`)
  },
})
