/**
 * The program `etcd` of the assets for envtest: it answers health checks, and tells our kube-apiserver where its data is. The data
 * itself is written by kube-apiserver, into this program's --data-dir: it lives as long as that of a real etcd. Before all else the
 * modules of kube-apiserver are loaded, and workerd is started (calls.ts): a test asks for health only every 100 ms.
 */
import { once } from 'node:events'
import http from 'node:http'
import { join, resolve } from 'node:path'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { dataPath } from './etcd-data.ts'
import { isForOneRun, memoryDirectory } from './memory-directory.ts'

const version = 'etcd Version: 3.6.0 (edgeplane)\n'

const help = `Usage:

  etcd [flags]
    Answers the health checks of envtest for the kube-apiserver of edgeplane, which stores its objects itself.

  --name 'default'
  --data-dir '\${name}.etcd'
  --listen-client-urls 'http://localhost:2379'
  --listen-peer-urls 'http://localhost:2380'
  --advertise-client-urls 'http://localhost:2379'
  --unsafe-no-fsync 'false'
  All other flags of etcd are accepted and have no effect.
`

interface Settings {
  /** The directory in which kube-apiserver keeps its data. */
  readonly data: string
  readonly urls: readonly string[]
}

/** Runs the program until it is stopped; gives the exit code if it cannot listen. */
export async function etcd(args: readonly string[]): Promise<number> {
  if (args.some((word) => /^--?(?:h|help)$/.test(word))) return print(help)
  if (args.some((word) => /^--?version$/.test(word))) return print(version)
  try {
    await serve(readSettings(args))
    return 0
  } catch (error) {
    process.stderr.write(`etcd: ${reasonOf(error)}\n`)
    return 1
  }
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}

function readSettings(args: readonly string[]): Settings {
  const flagValue = (name: string): string | undefined => {
    const at = args.findLastIndex((word) => word.replace(/^--?/, '').split('=', 1)[0] === name && word.startsWith('-'))
    const word = args[at]
    if (word === undefined) return undefined
    return word.includes('=') ? word.slice(word.indexOf('=') + 1) : args[at + 1]
  }
  const urls = (flagValue('listen-client-urls') ?? 'http://localhost:2379').split(',')
  const directory = resolve(flagValue('data-dir') ?? `${flagValue('name') ?? 'default'}.etcd`)
  const inMemory = flagValue('unsafe-no-fsync') === 'true' && isForOneRun(directory) ? memoryDirectory() : undefined
  return { data: inMemory ?? join(directory, 'edgeplane'), urls }
}

async function serve({ data, urls }: Settings): Promise<void> {
  const takeCalls = await prepareCalls(data)
  const answers: Readonly<Record<string, string>> = {
    '/health': '{"health":"true","reason":""}',
    '/readyz': 'ok\n',
    '/livez': 'ok\n',
    '/version': '{"etcdserver":"3.6.0","etcdcluster":"3.6.0","storage":"3.6.0"}',
    [dataPath]: JSON.stringify({ directory: data }),
  }
  const servers = urls.map((text) => {
    const { protocol, hostname, port } = new URL(text)
    if (protocol !== 'http:') throw new LauncherError(`${text}: only http is served.`)
    const server = http.createServer(({ url = '' }, response) => {
      const body = answers[url.split('?', 1)[0] ?? '']
      response.writeHead(body === undefined ? 404 : 200).end(body ?? '404 page not found\n')
    })
    return { server, host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || 2379 }
  })
  const stop = (): never => process.exit(0)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  const failed = new Promise<never>((_done, fail) => {
    for (const { server } of servers) server.on('error', fail)
  })
  const listening = servers.map(({ server, host, port }) => once(server.listen(port, host), 'listening'))
  await Promise.race([failed, Promise.all(listening)])
  takeCalls(servers[0]?.port ?? 0)
  await failed
}

/**
 * Prepares for calls of the script kube-apiserver, if this program was started by the script of the same directory.
 * @returns a function that takes them. The port is that of this program: two programs must not take the same calls
 */
async function prepareCalls(data: string): Promise<(port: number) => void> {
  const directory = process.env.EDGEPLANE_ENVTEST_CALLS
  if (directory === undefined) return () => undefined
  const { Calls } = await import('./calls.ts')
  const prepared = Calls.prepare(data)
  return (port) => Calls.take(join(directory, String(port)), data, prepared)
}
