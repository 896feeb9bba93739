/**
 * Runs the real kube-controller-manager against Edgeplane while namespaces, owners with dependents and definitions are created
 * and deleted:
 *
 *   npm run soak:controller-manager -- --program PATH [--seconds 300] [--controllers LIST] [--server URL --token TOKEN]
 *     [--start-options="--controllers=…"] [--log FILE]
 *
 * PATH is a kube-controller-manager of the emulated release. Prints the kinds of errors and warnings in its log, without names
 * and numbers, with their counts. With --server and --token it runs against another server: kube-apiserver's result under the
 * same load is the reference. `--json FILE` stores the counts, and `--than FILE` exits with 1 if there is a kind of error that
 * those counts do not have.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { freePort } from '../../../scripts/free-port.ts'
import { startServer } from '../../server.ts'
import { load, type Send } from './load.ts'

/** The count of each kind of line. */
type Counts = Record<string, number>

const { values } = parseArgs({
  options: {
    program: { type: 'string' },
    seconds: { type: 'string', default: '300' },
    controllers: {
      type: 'string',
      default:
        'namespace-controller,garbage-collector-controller,serviceaccount-controller,deployment-controller,' +
        'replicaset-controller,job-controller,endpointslice-controller,resourcequota-controller',
    },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    'start-options': { type: 'string', default: '' },
    log: { type: 'string' },
    json: { type: 'string' },
    than: { type: 'string' },
  },
})

/** Makes a client that does not verify the certificate, because the server is on this machine. */
function clientOf(url: string, token: string): Send {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })
  return (method, path, body) =>
    new Promise((done) => {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const text = body === undefined ? undefined : JSON.stringify(body)
      const length = text === undefined ? {} : { 'content-type': type, 'content-length': String(Buffer.byteLength(text)) }
      const sent = request(url + path, { agent, method, headers: { authorization: `Bearer ${token}`, ...length } })
      sent.on('response', (response) => {
        response.resume().on('end', () => done(response.statusCode ?? 0))
      })
      sent.on('error', () => done(0))
      sent.end(text)
    })
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

function controllerManager(program: string, folder: string, url: string, token: string, port: number): ChildProcess {
  const kubeconfig = join(folder, 'controller-manager.kubeconfig')
  const named = { clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }] }
  const user = { users: [{ name: 'u', user: { token } }], contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }] }
  const config = { apiVersion: 'v1', kind: 'Config', ...named, ...user, 'current-context': 'x' }
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 })
  const options = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${values.controllers}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${folder}`,
  ]
  return spawn(program, options, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Runs the load and the program. */
async function measure(program: string, url: string, token: string): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), 'edgeplane-soak-'))
  const child = controllerManager(program, folder, url, token, await freePort())
  const ended = once(child, 'exit')
  const log = createWriteStream(values.log ?? join(folder, 'log'))
  const counts: Counts = {}
  if (child.stderr === null) throw new Error('no pipe')
  createInterface({ input: child.stderr }).on('line', (line) => {
    log.write(`${line}\n`)
    const kind = kindOfLine(line)
    if (kind !== undefined) counts[kind] = (counts[kind] ?? 0) + 1
  })
  const rounds = await load(clientOf(url, token), `soak${Date.now() % 1e6}`, Date.now() + Number(values.seconds) * 1000)
  if (child.exitCode !== null) counts[`the program ended with ${child.exitCode}`] = 1
  child.kill()
  await ended
  rmSync(folder, { recursive: true, force: true })
  console.info(`${rounds} rounds`)
  return counts
}

const { program, server, token } = values
if (program === undefined) throw new Error('--program is missing')
const own =
  server === undefined ? await startServer(undefined, undefined, values['start-options'].split(' ').filter(Boolean)) : undefined
const counts = await measure(program, server ?? own?.url ?? '', own?.token ?? token)
await own?.stop()
for (const [kind, count] of Object.entries(counts).sort(([, a], [, b]) => b - a)) console.info(`${count} x ${kind}`)
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(counts, null, 2))
if (values.than !== undefined) {
  const allowed = JSON.parse(readFileSync(values.than, 'utf8')) as Counts
  const more = Object.keys(counts).filter((kind) => !(kind in allowed))
  console.info(
    more.length === 0 ? 'nothing that the other server does not give' : `more than the other server:\n${more.join('\n')}`,
  )
  process.exitCode = more.length === 0 ? 0 : 1
}
