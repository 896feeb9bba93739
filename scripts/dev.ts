/**
 * Runs `wrangler dev` as `edgeplane start` runs workerd: with HTTPS by the data directory's certificate, its administrator token
 * and a kubeconfig. Takes the options of `edgeplane start`; arguments after `--` are passed to wrangler. Its storage is separate
 * from that of `edgeplane start`, so both can use the same data directory.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:https'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { authority, reachableHost } from '../src/launcher/addresses.ts'
import { adminToken } from '../src/launcher/admin-token.ts'
import { servingCertificate } from '../src/launcher/certificates.ts'
import { commandHelp, readArguments } from '../src/launcher/command-line.ts'
import { commandNamed } from '../src/launcher/commands.ts'
import { openDataDirectory, writePrivateFile } from '../src/launcher/data-directory.ts'
import { writeKubeconfig } from '../src/launcher/kubeconfig.ts'
import { LauncherError } from '../src/launcher/launcher-error.ts'
import { readStartOptions, type StartOptions } from '../src/launcher/options.ts'
import { usablePort } from '../src/launcher/port.ts'

const root = resolve(import.meta.dirname, '..')

/** A run of wrangler. */
interface Preparation {
  readonly args: readonly string[]
  readonly server: string
  /** The absolute path of the kubeconfig. */
  readonly kubeconfig: string
}

/** Writes the files that wrangler reads. */
async function prepare(given: StartOptions): Promise<Preparation> {
  if (given.dataDirectory === undefined) throw new LauncherError('--ephemeral is for `edgeplane start` only.')
  const directory = openDataDirectory(given.dataDirectory)
  const options = { ...given, port: await usablePort(given.host, given.port) }
  const file = (name: string): string => join(directory.path, 'dev', name)
  const certificate = await servingCertificate(directory, options)
  writePrivateFile(file('server.key'), certificate.key)
  writePrivateFile(file('server.crt'), certificate.certificate)
  const token = adminToken(directory)
  const address = authority(reachableHost(options.host), options.port)
  // A file, because every user of the machine can read a process's arguments.
  writePrivateFile(file('vars'), `ADMIN_TOKEN=${token}\nSERVER_ADDRESS=${address}\n`)
  const kubeconfig = options.kubeconfig ?? file('kubeconfig')
  writeKubeconfig(kubeconfig, { server: `https://${address}`, authority: certificate.authority, token })
  const args = ['dev', '--env-file', file('vars'), '--persist-to', file('state')]
  args.push('--ip', options.host, '--port', String(options.port), '--local-protocol', 'https')
  args.push('--https-key-path', file('server.key'), '--https-cert-path', file('server.crt'))
  return { args, server: `https://${address}`, kubeconfig }
}

/** Runs wrangler until it ends, or until this process is told to end. Resolves to its exit code. */
async function runWrangler(args: readonly string[]): Promise<number> {
  // The program `wrangler` is a process around this one, and does not pass signals on.
  const script = createRequire(import.meta.url).resolve('wrangler')
  const child = spawn(process.execPath, ['--no-warnings', script, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { CLOUDFLARE_CF_FETCH_ENABLED: 'false', ...process.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 0
}

/** Calls back after the first response of the server, of any status. */
function whenAnswering(server: string, callback: () => void): void {
  // The certificate is not verified: the request sends no secret, and the response is not used.
  const request = get(`${server}/livez`, { rejectUnauthorized: false }, (response) => {
    response.resume()
    callback()
  })
  request.on('error', () => setTimeout(whenAnswering, 100, server, callback).unref())
}

async function main(argv: readonly string[]): Promise<number> {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const values = readArguments(argv.slice(0, end), commandNamed('start'))
  if (values.has('help')) {
    console.log(commandHelp(commandNamed('start')))
    return 0
  }
  const { args, server, kubeconfig } = await prepare(readStartOptions(values, process.cwd()))
  whenAnswering(server, () => {
    console.log(`\nedgeplane: ready at ${server}\n\n  export KUBECONFIG=${kubeconfig}\n  kubectl get namespaces\n`)
  })
  return runWrangler([...args, ...argv.slice(end + 1)])
}

try {
  process.exit(await main(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof LauncherError)) throw error
  console.error(`edgeplane: ${error.message}`)
  process.exit(1)
}
