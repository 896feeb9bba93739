/** `edgeplane deploy`, `upgrade`, `status`, `destroy` and `preview`. */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readIfPresent, writePrivateFile } from '../data-directory.ts'
import { writeKubeconfig } from '../kubeconfig.ts'
import { LauncherError } from '../launcher-error.ts'
import type { Program } from '../start.ts'
import { shellWord } from '../start.ts'
import type { Deployment, DeploymentFacts } from './deployment.ts'
import { whenReady } from './first-request.ts'
import { workerVariables } from './settings.ts'
import { writeWorkerFiles } from './worker-files.ts'
import { runWrangler } from './wrangler.ts'

/** The wishes of one deployment. */
export interface DeployRequest {
  readonly deployment: Deployment
  readonly facts: DeploymentFacts
  /** The facts of the last deployment from here. */
  readonly former: DeploymentFacts | undefined
  readonly program: Program
}

const hashOf = (token: string): string => `sha256:${createHash('sha256').update(token).digest('hex')}`

/** The settings that follow from the address. */
function addressSettings(url: string): Record<string, string> {
  if (url === '') return {}
  const { hostname, port } = new URL(url)
  return { SERVER_ADDRESS: `${hostname}:${port || '443'}`, SERVICE_ACCOUNT_ISSUER: url }
}

/** Calls a function with a file of secrets, which only exists meanwhile. */
async function withSecrets<T>(deployment: Deployment, secrets: object, use: (file: string) => Promise<T>): Promise<T> {
  const file = join(deployment.path, 'run', 'secrets.json')
  writePrivateFile(file, JSON.stringify(secrets))
  try {
    return await use(file)
  } finally {
    rmSync(file, { force: true })
  }
}

/** Uploads the Worker. Returns its address as wrangler reports it; undefined if it has none of its own. */
async function upload({ deployment, facts, former, program }: DeployRequest): Promise<string | undefined> {
  const token = deployment.token()
  const settings = { ...addressSettings(facts.url), ...facts.settings }
  const variables = workerVariables(settings, former?.settings ?? {})
  writeWorkerFiles(deployment, await program.bundleWorker(), facts, variables)
  const report = join(deployment.path, 'run', 'wrangler-output.json')
  rmSync(report, { force: true })
  await withSecrets(deployment, { ADMIN_TOKEN: hashOf(token), ...variables.secrets }, (file) =>
    runWrangler(['deploy', '--config', deployment.wranglerConfig, '--secrets-file', file], {
      directory: deployment.path,
      environment: { WRANGLER_OUTPUT_FILE_PATH: report },
    }),
  )
  return addressIn(readFileSync(report, 'utf8'))
}

/** Returns the first address among the targets of wrangler's report: `https://NAME.workers.dev`, or a custom domain. */
function addressIn(report: string): string | undefined {
  for (const line of report.split('\n').filter((one) => one !== '')) {
    const { type, targets } = JSON.parse(line) as { type?: string; targets?: readonly string[] }
    if (type !== 'deploy') continue
    for (const target of targets ?? []) {
      const [, workers, domain] = /^(?:(https:\/\/\S+)|(\S+) \(custom domain\b.*)$/.exec(target) ?? []
      if (workers !== undefined) return workers.replace(/\/$/, '')
      if (domain !== undefined) return `https://${domain}`
    }
  }
  return undefined
}

/** Deploys, and writes the kubeconfig when the server answers; returns the text to print. @throws LauncherError */
export async function deploy(request: DeployRequest): Promise<string> {
  const { deployment } = request
  const reported = await upload(request)
  const url = request.facts.url || reported
  if (url === undefined) {
    throw new LauncherError('The Worker has no address of its own: give the one of its clients with --url https://HOST.')
  }
  const facts = { ...request.facts, url }
  // The Worker must know its address, and only the first upload tells it.
  if (facts.url !== request.facts.url) await upload({ ...request, facts })
  deployment.store(facts)
  const token = deployment.token()
  writeKubeconfig(deployment.kubeconfig, { server: url, authority: undefined, token })
  if (!(await whenReady(url, token))) {
    throw new LauncherError(`${url}/readyz does not answer yet: look at it with \`edgeplane status\` in a minute.`)
  }
  return readyText(url, deployment.kubeconfig)
}

const readyText = (url: string, kubeconfig: string): string => `edgeplane: a Kubernetes API server is ready

  URL         ${url}
  kubeconfig  ${kubeconfig}

  export KUBECONFIG=${shellWord(kubeconfig)}
  kubectl get namespaces
`

/** Returns the text of `edgeplane status`, and whether the server is ready. */
export async function status(deployment: Deployment): Promise<{ readonly text: string; readonly isReady: boolean }> {
  const { url, settings } = knownFacts(deployment)
  const isReady = await whenReady(url, deployment.token(), 1)
  const names = Object.keys(settings).sort()
  const text = `${deployment.name}
  URL         ${url}
  ready       ${isReady ? 'yes' : 'no'}
  kubeconfig  ${deployment.kubeconfig}
  settings    ${names.length === 0 ? 'the defaults' : names.join(', ')}
`
  return { text, isReady }
}

/** Returns the facts of a deployment that exists. @throws LauncherError if it was not deployed from here */
export function knownFacts(deployment: Deployment): DeploymentFacts {
  const { facts } = deployment
  if (facts !== undefined) return facts
  throw new LauncherError(
    `${deployment.name} was not deployed from this directory: \`edgeplane deploy --name ${deployment.name}\` deploys it.`,
  )
}

/** Deletes the Worker with all its objects, and the folder. @throws LauncherError */
export async function destroy(deployment: Deployment): Promise<void> {
  const isKnown = readIfPresent(deployment.wranglerConfig) !== undefined
  const config = isKnown ? ['--config', deployment.wranglerConfig] : []
  await runWrangler(['delete', '--name', deployment.name, '--force', ...config])
  rmSync(deployment.path, { recursive: true, force: true })
}

/** Deploys a preview of a branch with a token of its own; returns the text to print. @throws LauncherError */
export async function preview(deployment: Deployment, branch: Deployment, program: Program): Promise<string> {
  const facts = knownFacts(deployment)
  const { vars, secrets } = workerVariables(facts.settings, {})
  writeWorkerFiles(deployment, await program.bundleWorker(), facts, { vars })
  const token = branch.token()
  const run = (file: string): Promise<string> =>
    runWrangler(
      [
        'preview',
        '--name',
        branch.name,
        '--config',
        deployment.wranglerConfig,
        '--secrets-file',
        file,
        '--json',
        '--ignore-base-config',
      ],
      { directory: deployment.path, output: 'collect' },
    )
  const url = previewAddress(await withSecrets(deployment, { ADMIN_TOKEN: hashOf(token), ...secrets }, run))
  branch.store({ ...facts, url })
  writeKubeconfig(branch.kubeconfig, { server: url, authority: undefined, token })
  if (!(await whenReady(url, token))) throw new LauncherError(`${url}/readyz does not answer yet: try again in a minute.`)
  return readyText(url, branch.kubeconfig)
}

/** Returns the address of a preview in wrangler's JSON. */
function previewAddress(output: string): string {
  const { preview: made } = JSON.parse(output.slice(output.indexOf('{'))) as { preview?: { urls?: readonly string[] } }
  const [url] = made?.urls ?? []
  if (url === undefined) throw new LauncherError('wrangler reports no address of the preview.')
  return url.startsWith('https://') ? url.replace(/\/$/, '') : `https://${url}`
}

/** Deletes a preview with its objects. @throws LauncherError */
export async function deletePreview(deployment: Deployment, branch: Deployment): Promise<void> {
  await runWrangler(['preview', 'delete', '--name', branch.name, '--config', deployment.wranglerConfig, '--skip-confirmation'])
  rmSync(branch.path, { recursive: true, force: true })
}
