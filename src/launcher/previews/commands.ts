/** `edgeplane preview`: a cluster for each branch, in a deployment or as a Worker of its own beside one. */
import { resolve } from 'node:path'
import { deletePreviewWorker, deployPreviewWorker } from '../cloudflare/commands.ts'
import { specOf, specOptions } from '../clusters/commands.ts'
import type { Command, Option, Values } from '../command-line.ts'
import type { Context } from '../context.ts'
import { writePrivateFile } from '../data-directory.ts'
import { LauncherError } from '../launcher-error.ts'
import { serverOptions, withServer } from '../server-options.ts'
import { branchOf, clusterOfBranch } from './branch.ts'

/** The time after which a preview is deleted that nobody has deleted. */
const defaultExpiry = '168h'

const previewOptions: readonly Option[] = [
  { name: 'branch', value: 'BRANCH', help: ['(default $GITHUB_HEAD_REF, or else the current branch of git)'] },
  { name: 'from-manifests', value: 'DIR', help: ['up: the objects that the cluster has, as for `edgeplane import`'] },
  { name: 'write-kubeconfig', value: 'FILE', help: ['up: where to write the kubeconfig of the cluster'] },
  { name: 'repository', value: 'OWNER/NAME', help: ['comment: on GitHub (default $GITHUB_REPOSITORY)'] },
  { name: 'pull-request', value: 'NUMBER', help: ['comment: (default: that of the event $GITHUB_EVENT_PATH)'] },
  { name: 'name', value: 'NAME', help: ['deploy, destroy: the name of the Worker (default edgeplane)'] },
]

interface Place {
  readonly branch: string
  readonly name: string
}

type Verb = (place: Place, values: Values, context: Context) => Promise<void>

async function up({ branch, name }: Place, values: Values, context: Context): Promise<void> {
  const { previewUp } = await import('./preview.ts')
  const { expiry = defaultExpiry, ...spec } = specOf(values)
  const [manifests, file] = [values.text('from-manifests'), values.text('write-kubeconfig')]
  const wish = { branch, name, expiry, spec, manifests: manifests && resolve(context.directory, manifests) }
  const { cluster, kubeconfig, objects } = await withServer(values, context, (api) => previewUp(api, wish))
  if (file !== undefined) writePrivateFile(resolve(context.directory, file), kubeconfig)
  const applied = objects === 0 ? '' : `\n  objects     ${objects} applied`
  const { url, expiresAt } = cluster.status ?? {}
  context.print(
    `edgeplane: the preview ${name} is ready\n\n  URL         ${url}\n  kubeconfig  edgeplane cluster kubeconfig ${name}${applied}\n  expires     ${expiresAt}\n`,
  )
}

async function down({ name }: Place, values: Values, context: Context): Promise<void> {
  const { previewDown } = await import('./preview.ts')
  const hasExisted = await withServer(values, context, (api) => previewDown(api, name))
  context.print(`edgeplane: ${hasExisted ? `the preview ${name} is deleted` : `there is no preview ${name}`}\n`)
}

async function comment({ name }: Place, values: Values, context: Context): Promise<void> {
  const { pullRequestOf, writeComment } = await import('./github.ts')
  const { commentOf, markOf } = await import('./comment.ts')
  const { findCluster } = await import('../clusters/clusters.ts')
  const request = pullRequestOf(values.text('repository'), values.text('pull-request'))
  const cluster = await withServer(values, context, (api) => findCluster(api, name))
  const ifAbsent = cluster === undefined ? 'skip' : 'write'
  const done = await writeComment(request, markOf(name), commentOf(name, cluster), ifAbsent)
  context.print(`edgeplane: the comment on ${request.repository}#${request.number} is ${done}\n`)
}

const verbs: Readonly<Record<string, Verb>> = {
  up,
  down,
  comment,
  deploy: ({ branch }, values, context) => deployPreviewWorker(branch, values, context),
  destroy: ({ branch }, values, context) => deletePreviewWorker(branch, values, context),
}

async function runPreview(values: Values, context: Context): Promise<number> {
  const verb = verbs[values.argument]
  if (verb === undefined) throw new LauncherError('The verb is missing: see `edgeplane preview --help`.')
  const branch = branchOf(values.text('branch'), context.directory)
  await verb({ branch, name: clusterOfBranch(branch) }, values, context)
  return 0
}

export const previewCommands: readonly Command<Context>[] = [
  {
    name: 'preview',
    summary: 'make, update and delete the cluster of a branch (up, down), or a Worker for it (deploy, destroy)',
    argument: { value: 'VERB', choices: Object.keys(verbs) },
    options: [...previewOptions, ...specOptions, ...serverOptions],
    run: runPreview,
  },
]
