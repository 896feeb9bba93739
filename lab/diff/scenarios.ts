/**
 * Replays the recorded scenarios against a server. Prints, per scenario, the number of steps whose response equals kube-apiserver's,
 * then the shares of equal responses and status codes.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { Endpoint } from '../../test/client.ts'
import { command, flag, text, type Values } from '../command.ts'
import { root } from '../root.ts'
import { serverOptions, withServer } from '../servers.ts'

const folder = join(root, 'test/differential')

const options = {
  area: text('NAME', 'the scenarios of an area alone: crud, …'),
  only: text('NAME', 'one scenario'),
  json: text('FILE', 'receives the differences'),
  verbose: flag('prints each difference'),
  ...serverOptions,
}

/** Plays the scenarios, and returns what the player printed. */
async function replay({ url, token }: Endpoint, { area, only, json, verbose }: Values<typeof options>): Promise<string> {
  const choice = [...(area ? ['--area', area] : []), ...(only ? ['--only', only] : [])]
  const report = [...(json ? ['--json', json] : []), ...(verbose ? ['--verbose'] : [])]
  const place = ['--scenarios', join(folder, 'scenarios'), '--golden', join(folder, 'golden')]
  const args = ['check', '--server', url, '--token', token, '--insecure', ...place, ...choice, ...report]
  const child = spawn(process.execPath, [join(folder, 'replay.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  })
  const exit = once(child, 'exit')
  const output = await textOf(child.stdout)
  const [code] = await exit
  process.stdout.write(output)
  if (code !== 0) process.exitCode = 1
  return output
}

function printShares(output: string): void {
  const [, passed = '0', failed = '0'] = /(\d+) passed, (\d+) failed/.exec(output) ?? []
  const [, equal = '0', all = '0'] = /status codes equal: (\d+)\/(\d+)/.exec(output) ?? []
  const share = (part: number, whole: number): string => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)}%`)
  console.log(`equal answers: ${share(Number(passed), Number(passed) + Number(failed))}`)
  console.log(`equal status codes: ${share(Number(equal), Number(all))}`)
}

export default command({
  options,
  async run(values) {
    printShares(await withServer(values, (server) => replay(server, values)))
  },
})
