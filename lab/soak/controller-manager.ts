/**
 * Runs the real kube-controller-manager against a server while namespaces, owners with dependents and definitions are created and
 * deleted.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Client } from '../../test/client.ts'
import { command, number, required, text, type Values } from '../command.ts'
import { freePort } from '../free-port.ts'
import { serverOptions, withServer } from '../servers.ts'
import { load, type Send } from './controller-manager/load.ts'

/** The count of each kind of line. */
type Counts = Record<string, number>

const defaultControllers =
  'namespace-controller,garbage-collector-controller,serviceaccount-controller,deployment-controller,' +
  'replicaset-controller,job-controller,endpointslice-controller,resourcequota-controller'

const options = {
  program: required(text('PATH', 'a kube-controller-manager of the emulated release')),
  seconds: number('N', 'the time', 300),
  controllers: text('LIST', 'its controllers', defaultControllers),
  startOptions: text('ARGS', 'arguments of `edgeplane start`', ''),
  log: text('FILE', "receives the program's log"),
  json: text('FILE', 'receives the counts'),
  than: text('FILE', 'fails if there is a kind of error that these counts do not have'),
  ...serverOptions,
}

const senderOf =
  (server: Client): Send =>
  async (method, path, body) => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
    const reply = await server.send(path, { method, headers, body }).catch(() => undefined)
    return reply?.status ?? 0
  }

/**
 * Returns the kind of a log line: without time, source position, names and numbers. Undefined if it is neither an error nor a
 * warning.
 */
function kindOfLine(line: string): string | undefined {
  const [, text] = /^[EWF]\d{4} \S+ +\d+ (.*)$/.exec(line) ?? []
  if (text === undefined) return /^(panic|goroutine|fatal)/.test(line) ? line : undefined
  return text
    .replace(/^(\S+?):\d+\]/, '$1]')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replace(/soak\d+(-\d+)+[\w-]*|soak[a-j]+s?\b/gi, 'NAME')
    .replace(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replace(/&(?:garbagecollector\.node|ReplicaSet)\{.*\}/, '&…')
    .replace(/ event="&Event.*/, '')
    .replace(/\d+/g, 'N')
}

function controllerManager(program: string, controllers: string, folder: string, { url, token }: Client, port: number) {
  const kubeconfig = join(folder, 'controller-manager.kubeconfig')
  const named = { clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }] }
  const user = { users: [{ name: 'u', user: { token } }], contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }] }
  const config = { apiVersion: 'v1', kind: 'Config', ...named, ...user, 'current-context': 'x' }
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 })
  const options = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
  ]
  return spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Runs the load and the program. */
async function measure(server: Client, { program, controllers, seconds, log: logFile }: Values<typeof options>): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-soak-'))
  const child = controllerManager(program, controllers, folder, server, await freePort())
  const ended = once(child, 'exit')
  const log = createWriteStream(logFile ?? join(folder, 'log'))
  const counts: Counts = {}
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.write(`${line}\n`)
    const kind = kindOfLine(line)
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1
  })
  const rounds = await load(senderOf(server), `soak${Date.now() % 1e6}`, Date.now() + seconds * 1000)
  if (child.exitCode !== null) counts[`the program ended with ${child.exitCode}`] = 1
  child.kill()
  await ended
  rmSync(folder, { recursive: true, force: true })
  console.info(`${rounds} rounds`)
  return counts
}

/** Compares the counts with those of another server. Returns whether there is nothing new. */
function hasNothingNew(counts: Counts, file: string): boolean {
  const allowed = JSON.parse(readFileSync(file, 'utf8')) as Counts
  const more = Object.keys(counts).filter((kind) => !(kind in allowed))
  console.info(
    more.length === 0 ? 'nothing that the other server does not give' : `more than the other server:\n${more.join('\n')}`,
  )
  return more.length === 0
}

export default command({
  about: `Prints the kinds of errors and warnings in its log, without names and numbers, with their counts. With --server and --token
it runs against another server: the result of kube-apiserver under the same load (--json FILE) is the reference (--than FILE).`,
  options,
  async run(values) {
    const args = values.startOptions.split(' ').filter(Boolean)
    const counts = await withServer(values, (server) => measure(server, values), { args })
    for (const [kind, count] of Object.entries(counts).sort(([, a], [, b]) => b - a)) console.info(`${count} x ${kind}`)
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(counts, null, 2))
    if (values.than !== undefined && !hasNothingNew(counts, values.than)) process.exitCode = 1
  },
})
