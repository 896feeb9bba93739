/**
 * Starts the server with temporary data and replays the recorded scenarios against it:
 *
 *   npm run differential -- [--area crud] [--only NAME] [--verbose]
 *
 * Prints, per scenario, the number of steps whose response equals kube-apiserver's, then the shares of equal responses and status
 * codes. `--server URL --token T` replays against a running server.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startServer } from './own-server.ts'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test', 'differential')

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
  },
})

function replay(server: string, token: string): { output: string; code: number } {
  const choice = [...(values.area ? ['--area', values.area] : []), ...(values.only ? ['--only', values.only] : [])]
  const report = [...(values.json ? ['--json', values.json] : []), ...(values.verbose ? ['--verbose'] : [])]
  const place = ['--scenarios', join(folder, 'scenarios'), '--golden', join(folder, 'golden')]
  const run = spawnSync(
    process.execPath,
    [join(folder, 'replay.mjs'), 'check', '--server', server, '--token', token, '--insecure', ...place, ...choice, ...report],
    { encoding: 'utf8', env: { ...process.env, NODE_NO_WARNINGS: '1' }, maxBuffer: 1 << 28 },
  )
  process.stdout.write(run.stdout)
  process.stderr.write(run.stderr)
  return { output: run.stdout, code: run.status ?? 2 }
}

function printShares(output: string): void {
  const [, passed = '0', failed = '0'] = /(\d+) passed, (\d+) failed/.exec(output) ?? []
  const [, equal = '0', all = '0'] = /status codes equal: (\d+)\/(\d+)/.exec(output) ?? []
  const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`)
  console.log(`equal answers: ${share(Number(passed), Number(passed) + Number(failed))}`)
  console.log(`equal status codes: ${share(Number(equal), Number(all))}`)
}

if (values.server === undefined) {
  const { url, token, stop } = await startServer()
  const { output } = replay(url, token)
  stop()
  printShares(output)
} else {
  printShares(replay(values.server, values.token).output)
}
