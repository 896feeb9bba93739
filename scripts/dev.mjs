#!/usr/bin/env node
// Runs `wrangler dev` as `edgeplane start` runs workerd: with HTTPS by the data directory's certificate, its administrator token
// and a kubeconfig. Takes the options of `edgeplane start`; arguments after `--` are passed to wrangler. Its storage is separate
// from that of `edgeplane start`, so both can use the same data directory.

import { spawn } from 'node:child_process'
import { get } from 'node:https'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { authority, reachableHost } from '../src/launcher/addresses.ts'
import { servingCertificate } from '../src/launcher/certificates.ts'
import { commandHelp, readArguments } from '../src/launcher/command-line.ts'
import { commandNamed } from '../src/launcher/commands.ts'
import { adminToken, openDataDirectory, writePrivateFile } from '../src/launcher/data-directory.ts'
import { writeKubeconfig } from '../src/launcher/kubeconfig.ts'
import { LauncherError } from '../src/launcher/launcher-error.ts'
import { readStartOptions } from '../src/launcher/options.ts'
import { usablePort } from '../src/launcher/port.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Prepares the files that wrangler reads; returns its command line and the message to print when it is ready. */
async function prepare(given) {
  if (given.dataDirectory === undefined) throw new LauncherError('--ephemeral is for `edgeplane start` only.')
  const directory = openDataDirectory(given.dataDirectory)
  const options = { ...given, port: await usablePort(given.host, given.port) }
  const file = (name) => join(directory.path, 'dev', name)
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

function runWrangler(args, onExit) {
  const script = join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { CLOUDFLARE_CF_FETCH_ENABLED: 'false', ...process.env },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', onExit)
}

/** Calls back after the first response of the server, of any status. */
function whenAnswering(server, callback) {
  // The certificate is not verified: the request sends no secret, and the response is not used.
  const request = get(`${server}/livez`, { rejectUnauthorized: false }, (response) => {
    response.resume()
    callback()
  })
  request.on('error', () => setTimeout(whenAnswering, 100, server, callback).unref())
}

async function main(argv) {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length
  const values = readArguments(argv.slice(0, end), commandNamed('start'))
  if (values.has('help')) {
    console.log(commandHelp(commandNamed('start')))
    return
  }
  const { args, server, kubeconfig } = await prepare(readStartOptions(values, process.cwd()))
  runWrangler([...args, ...argv.slice(end + 1)], (code) => process.exit(code ?? 0))
  whenAnswering(server, () => {
    console.log(
      `\nedgeplane: ready at ${server}\n\n  export KUBECONFIG=${relative('', kubeconfig) || kubeconfig}\n  kubectl get namespaces\n`,
    )
  })
}

await main(process.argv.slice(2)).catch((error) => {
  if (!(error instanceof LauncherError)) throw error
  console.error(`edgeplane: ${error.message}`)
  process.exitCode = 1
})
