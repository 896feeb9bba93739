/** `edgeplane cluster`: makes, lists and deletes the named clusters of a server. */
import type { Command, Option, Values } from '../command-line.ts'
import type { Context } from '../context.ts'
import { LauncherError } from '../launcher-error.ts'
import { serverOptions, withServer } from '../server-options.ts'
import { readTime } from '../time.ts'
import type { Cluster } from './clusters.ts'

/** The options that become fields of the spec of a cluster with the same names. */
const specFields = ['placement', 'location', 'jurisdiction', 'expiry'] as const

/** The options of a new cluster. */
export const specOptions: readonly Option[] = [
  {
    name: 'placement',
    value: 'PLACEMENT',
    choices: ['one-object', 'collections'],
    help: ['where its objects are (default one-object)'],
  },
  { name: 'location', value: 'REGION', help: ['the region in which they are, such as weur'] },
  {
    name: 'jurisdiction',
    value: 'JURISDICTION',
    choices: ['eu', 'fedramp', 'fedramp-high', 'us'],
    help: ['the jurisdiction that they do not leave, on Cloudflare'],
  },
  { name: 'expiry', value: 'TIME', help: ['when the cluster is deleted: a time, or a duration such as 72h'] },
  {
    name: 'history-seconds',
    value: 'SECONDS',
    help: ['the seconds of history that are kept at least, up to 2592000 (30 days); default: as in the deployment'],
  },
  {
    name: 'emulated-release',
    value: 'RELEASE',
    help: ['the release of Kubernetes whose API it serves, such as 1.21; default: the newest'],
  },
  { name: 'from', value: 'NAME[@TIME]', help: ['the cluster of which it is a fork, now or at a time; default for the server'] },
]

/** The spec of a cluster. */
interface ChosenSpec {
  readonly [field: string]: unknown
  readonly expiry?: string
}

/** @throws LauncherError for a text that is not a number */
function secondsOf(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new LauncherError(`--history-seconds is a number of seconds, not ${text}.`)
}

/** Returns the spec of a cluster from the options. @throws LauncherError for an invalid time or number */
export function specOf(values: Values): ChosenSpec {
  const spec: Record<string, string | number> = {}
  for (const field of specFields) {
    const value = values.text(field)
    if (value !== undefined) spec[field] = value
  }
  const history = values.text('history-seconds')
  if (history !== undefined) spec.historySeconds = secondsOf(history)
  const release = values.text('emulated-release')
  if (release !== undefined) spec.emulatedRelease = release
  const from = values.text('from')
  if (from === undefined) return spec
  const [name = '', ...time] = from.split('@')
  return { ...spec, forkedFrom: { name, ...(time.length > 0 && { time: readTime(time.join('@'), Date.now()) }) } }
}

/** Returns the age of something as kubectl shows it, in its largest unit. */
function age(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`
}

function table(clusters: readonly Cluster[], now: number): string {
  const rows = clusters.map(({ metadata, status = {} }) => [
    metadata.name,
    status.url ?? '',
    status.phase ?? '',
    String(status.objects ?? ''),
    String(status.bytes ?? ''),
    age(metadata.creationTimestamp, now),
    status.expiresAt ?? '',
  ])
  const all = [['NAME', 'URL', 'PHASE', 'OBJECTS', 'BYTES', 'AGE', 'EXPIRES'], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  const line = (row: readonly string[]): string => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ')
  return all.map((row) => `${line(row).trimEnd()}\n`).join('')
}

type Verb = (name: string, values: Values, context: Context) => Promise<void>

const verbs: Readonly<Record<string, Verb>> = {
  create: (name, values, context) =>
    withServer(values, context, async (api) => {
      const { createCluster } = await import('./clusters.ts')
      const { status } = await createCluster(api, { name, spec: specOf(values) })
      context.print(
        `edgeplane: the cluster ${name} is ready\n\n  URL         ${status?.url}\n  kubeconfig  edgeplane cluster kubeconfig ${name}\n`,
      )
    }),
  list: (_name, values, context) =>
    withServer(values, context, async (api) => {
      const { listClusters } = await import('./clusters.ts')
      context.print(table(await listClusters(api), Date.now()))
    }),
  delete: (name, values, context) =>
    withServer(values, context, async (api) => {
      const { deleteCluster } = await import('./clusters.ts')
      if (!(await deleteCluster(api, name))) throw new LauncherError(`There is no cluster ${name}.`)
      context.print(`edgeplane: the cluster ${name} and all that it held are deleted\n`)
    }),
  kubeconfig: (name, values, context) =>
    withServer(values, context, async (api) => {
      const { kubeconfigOfCluster } = await import('./clusters.ts')
      context.print(await kubeconfigOfCluster(api, name))
    }),
}

async function runCluster(values: Values, context: Context): Promise<number> {
  const { argument: verb, secondArgument: name } = values
  if (name === '' && verb !== 'list')
    throw new LauncherError(`The name of the cluster is missing: \`edgeplane cluster ${verb} NAME\`.`)
  await verbs[verb]?.(name, values, context)
  return 0
}

export const clusterCommands: readonly Command<Context>[] = [
  {
    name: 'cluster',
    summary: 'make, list and delete the named clusters of a server, and print their kubeconfigs',
    argument: { value: 'VERB', choices: Object.keys(verbs) },
    secondArgument: { value: 'NAME', optional: true },
    options: [...specOptions, ...serverOptions],
    run: runCluster,
  },
]
