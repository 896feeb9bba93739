/**
 * Starts the server with throw-away data and replays the recorded scenarios against it:
 *
 *   npm run differential -- [--area crud] [--only NAME] [--verbose]
 *
 * Prints, per scenario, the steps whose answer equals kube-apiserver's, then the shares of equal answers and status codes.
 * `--server URL --token T` replays against a server that is running already.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

/** A server of our own, and how to end it. */
async function start(): Promise<{ server: string; token: string; stop: () => void }> {
  const port = await freePort()
  const data = mkdtempSync(join(tmpdir(), 'edgeplane-differential-'))
  const child = spawn(
    process.execPath,
    [join(root, 'bin', 'edgeplane.mjs'), 'start', '--port', String(port), '--data-dir', data],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('ready')) resolve()
    })
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
  const stop = (): void => {
    child.kill('SIGTERM')
    child.on('exit', () => rmSync(data, { recursive: true, force: true }))
  }
  return { server: `https://127.0.0.1:${port}`, token: readFileSync(join(data, 'admin-token'), 'utf8').trim(), stop }
}

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
  const { server, token, stop } = await start()
  const { output } = replay(server, token)
  stop()
  printShares(output)
} else {
  printShares(replay(values.server, values.token).output)
}
