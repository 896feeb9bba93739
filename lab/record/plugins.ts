/**
 * Records the responses of a kube-apiserver with other admission plugins than the default ones to the scenarios for them.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { startBackend } from '../../test/differential/plugins/backend.ts'
import { argumentsOf, sets } from '../../test/differential/plugins/sets.ts'
import { command, required, text, UsageError } from '../command.ts'
import { root } from '../root.ts'
import { referenceOptions, withReference } from '../servers.ts'

/** The port of the image policy's backend, which kube-apiserver calls while the responses are recorded. */
const backendPort = 18_999

const folder = join(root, 'test/differential')

/** Plays the scenarios of a set against a server, and records its responses. Returns the exit code. */
async function record(set: string, server: string, token: string): Promise<number> {
  const backend = await startBackend(backendPort)
  const place = ['--scenarios', join(folder, 'plugins', set, 'scenarios'), '--golden', join(folder, 'plugins', set, 'golden')]
  const access = ['--server', server, '--token', token, '--insecure']
  const child = spawn(process.execPath, [join(folder, 'replay.mjs'), 'record', ...access, ...place], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  backend.close()
  return Number(code)
}

export default command({
  about: 'Without --reference it prints the options that kube-apiserver needs.',
  options: {
    set: required(text('NAME', `the plugins: ${Object.keys(sets).join(', ')}`)),
    dir: text('DIR', "receives kube-apiserver's files", '.'),
    reference: text('URL|DIR', referenceOptions.reference.help),
    referenceToken: referenceOptions.referenceToken,
  },
  async run({ set: name, dir, reference, referenceToken }) {
    const set = Object.entries(sets).find(([each]) => each === name)?.[1]
    if (set === undefined) throw new UsageError(`--set is one of ${Object.keys(sets).join(', ')}`)
    const flags = argumentsOf(set, resolve(dir), backendPort)
    if (reference === undefined) return console.log(flags.join('\n'))
    process.exitCode = await withReference({ reference, referenceToken }, ({ url, token }) => record(name, url, token), flags)
  },
})
