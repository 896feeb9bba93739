/** `edgeplane migrate`: lists everything that a later release breaks. */
import { resolve } from 'node:path'
import type { ReportCollector } from '../../migration/collect.ts'
import type { MigrationReport } from '../../migration/report.ts'
import type { Api } from '../api.ts'
import type { Command, Values } from '../command-line.ts'
import type { Context } from '../context.ts'
import { LauncherError } from '../launcher-error.ts'
import { serverOptions, withServer } from '../server-options.ts'

/** The forms of the report. */
const outputs = ['text', 'json', 'yaml', 'manifests'] as const

/** Returns the release that a server emulates, as text. */
async function releaseOf(api: Api): Promise<string> {
  const version = await api.json<{ major: string; minor: string; emulationMajor?: string; emulationMinor?: string }>('/version')
  // Some providers write the minor version as 21+.
  return `${version.emulationMajor ?? version.major}.${version.emulationMinor ?? version.minor}`.replace(/\D+$/, '')
}

/** Returns a collector for the releases of a command line. @throws LauncherError for texts that are no releases in their order */
async function collectorFor(values: Values, from: string): Promise<ReportCollector> {
  const { collectorBetween } = await import('../../migration/between.ts')
  try {
    return collectorBetween(from, values.text('to'))
  } catch (error) {
    if (error instanceof RangeError) throw new LauncherError(`${error.message}: see \`edgeplane migrate --help\`.`)
    throw error
  }
}

/** The release before all others, from which manifests are checked unless one is named. */
const firstRelease = '1.0'

async function checkedManifests(directory: string, values: Values): Promise<MigrationReport> {
  const { checkManifests } = await import('./manifests.ts')
  const collector = await collectorFor(values, values.text('from') ?? firstRelease)
  checkManifests(directory, collector)
  return collector.report()
}

/** Calls a function with the named cluster, or with that of the kubeconfig. */
async function withCluster<T>(api: Api, name: string | undefined, use: (api: Api) => Promise<T>): Promise<T> {
  if (name === undefined) return use(api)
  const { withMoment } = await import('../past/moment.ts')
  return withMoment(api, { cluster: name, time: undefined }, use)
}

async function checkedCluster(values: Values, context: Context): Promise<MigrationReport> {
  const { checkCluster } = await import('./reader.ts')
  return withServer(values, context, (server) =>
    withCluster(server, values.text('cluster'), async (api) => {
      const collector = await collectorFor(values, values.text('from') ?? (await releaseOf(api)))
      await checkCluster(api, collector)
      return collector.report()
    }),
  )
}

async function print(report: MigrationReport, output: string, write: (text: string) => void): Promise<void> {
  if (output === 'json') return write(`${JSON.stringify(report, undefined, 2)}\n`)
  if (output === 'text') return write((await import('./text.ts')).reportText(report))
  const { renderYaml } = await import('../../yaml/write.ts')
  if (output === 'yaml') return write(renderYaml(JSON.parse(JSON.stringify(report))))
  for (const { mended } of report.objects) if (mended !== undefined) write(`---\n${renderYaml(mended)}`)
}

async function runMigrate(values: Values, context: Context): Promise<number> {
  const { isBroken } = await import('../../migration/collect.ts')
  const output = values.text('output') ?? 'text'
  if (!outputs.some((known) => known === output)) {
    throw new LauncherError(`--output must be ${outputs.slice(0, -1).join(', ')} or ${outputs.at(-1)}.`)
  }
  const manifests = values.text('manifests')
  const report =
    manifests === undefined
      ? await checkedCluster(values, context)
      : await checkedManifests(resolve(context.directory, manifests), values)
  await print(report, output, context.print)
  return isBroken(report) ? 1 : 0
}

export const migrateCommands: readonly Command<Context>[] = [
  {
    name: 'migrate',
    summary: 'list the objects, field managers and requests that a later release breaks, and what mends them',
    options: [
      { name: 'from', value: 'RELEASE', help: ['the release that is left, such as 1.21 (default: that of the server)'] },
      { name: 'to', value: 'RELEASE', help: ['the release to which you go (default: the newest that is known)'] },
      { name: 'manifests', value: 'DIR', help: ['check the manifests in a directory or file instead of a cluster'] },
      {
        name: 'output',
        value: 'FORM',
        choices: outputs,
        help: ['text (default), json or yaml;', 'manifests: those of DIR, converted'],
      },
      { name: 'cluster', value: 'NAME', help: ['a named cluster of the server'] },
      ...serverOptions,
    ],
    errorCode: 2,
    run: runMigrate,
  },
]
