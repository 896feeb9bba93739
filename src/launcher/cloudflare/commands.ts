/** The commands for deployments on Cloudflare. */
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command, Option, Values } from '../command-line.ts'
import type { Context } from '../context.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { labelOf } from '../previews/branch.ts'
import { isFields, readObject } from '../secret-files.ts'
import { deploySettingOptions } from '../start-options.ts'
import { Deployment, type DeploymentFacts } from './deployment.ts'

const nameOption: Option = { name: 'name', value: 'NAME', help: ['the name of the Worker (default edgeplane)'] }

const deployOptions: readonly Option[] = [
  nameOption,
  { name: 'domain', value: 'HOST', help: ['a custom domain of your account (default: an address of workers.dev)'] },
  { name: 'url', value: 'URL', help: ['the address of clients, https://HOST, if wrangler does not report it'] },
  {
    name: 'wrangler-config',
    value: 'FILE',
    help: ["further fields of wrangler's configuration, JSON or YAML: bindings, routes"],
  },
  { name: 'rotate-token', help: ["make a new administrator's token"] },
  ...deploySettingOptions,
]

const deploymentOf = (values: Values, { directory }: Context): Deployment =>
  new Deployment(directory, values.text('name') ?? 'edgeplane')

async function wranglerFields(
  file: string | undefined,
  directory: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (file === undefined) return undefined
  try {
    const value = await readObject(resolve(directory, file))
    if (isFields(value)) return value
    throw new Error('it is no object')
  } catch (error) {
    throw new LauncherError(`The file ${file} cannot be used: ${reasonOf(error).replace(/\.$/, '')}.`)
  }
}

function urlIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (/^https:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?\/?$/.test(text)) return text.replace(/\/$/, '')
  throw new LauncherError(`--url must be https://HOST or https://HOST:PORT, not "${text}".`)
}

/** Returns the facts of the next deployment: those of the last one, and the options. */
async function nextFacts(values: Values, { directory }: Context, former: DeploymentFacts | undefined): Promise<DeploymentFacts> {
  const { givenSettings } = await import('./settings.ts')
  const given = { ...former?.settings, ...(await givenSettings(values, directory)) }
  const domain = values.text('domain') ?? former?.domain
  const isMoved = domain !== undefined && domain !== former?.domain
  return {
    url: urlIn(values.text('url')) ?? (isMoved ? `https://${domain}` : (former?.url ?? '')),
    settings: Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')),
    domain,
    wrangler: (await wranglerFields(values.text('wrangler-config'), directory)) ?? former?.wrangler ?? {},
  }
}

async function runDeploy(values: Values, context: Context): Promise<number> {
  const { deploy } = await import('./deploy.ts')
  const deployment = deploymentOf(values, context)
  const former = deployment.facts
  const facts = await nextFacts(values, context, former)
  if (values.has('rotate-token')) rmSync(join(deployment.path, 'admin-token'), { force: true })
  context.print(`\n${await deploy({ deployment, facts, former, program: context.program })}`)
  return 0
}

async function runUpgrade(values: Values, context: Context): Promise<number> {
  const { deploy, knownFacts } = await import('./deploy.ts')
  const deployment = deploymentOf(values, context)
  const facts = knownFacts(deployment)
  context.print(`\n${await deploy({ deployment, facts, former: facts, program: context.program })}`)
  return 0
}

async function runStatus(values: Values, context: Context): Promise<number> {
  const { status } = await import('./deploy.ts')
  const { text, isReady } = await status(deploymentOf(values, context))
  context.print(text)
  return isReady ? 0 : 1
}

async function runDestroy(values: Values, context: Context): Promise<number> {
  const { destroy } = await import('./deploy.ts')
  const deployment = deploymentOf(values, context)
  if (!values.has('yes')) await confirm(deployment.name)
  await destroy(deployment)
  context.print(`edgeplane: ${deployment.name} and all its objects are deleted\n`)
  return 0
}

/** Asks the person at the terminal for the name. @throws LauncherError without a terminal, or for another answer */
async function confirm(name: string): Promise<void> {
  if (!process.stdin.isTTY) throw new LauncherError('destroy deletes all objects for good: confirm it with --yes.')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question(`This deletes ${name} and all its objects for good. Its name, to confirm: `)
  terminal.close()
  if (answer.trim() !== name) throw new LauncherError('Nothing was deleted.')
}

/** The longest name of a preview: it is a part of the name of a host. */
const longestPreview = 40

function previewOf(branch: string, deployment: Deployment, { directory }: Context): Deployment {
  const name = labelOf(branch, longestPreview)
  if (name === '') throw new LauncherError(`The branch "${branch}" has no letters or digits: name another one with --branch.`)
  return new Deployment(directory, name, join(deployment.path, 'previews', name))
}

/** Deploys a Worker for a branch, beside a deployment. @throws LauncherError */
export async function deployPreviewWorker(branch: string, values: Values, context: Context): Promise<void> {
  const { preview } = await import('./deploy.ts')
  const deployment = deploymentOf(values, context)
  context.print(`\n${await preview(deployment, previewOf(branch, deployment, context), context.program)}`)
}

/** Deletes the Worker of a branch with all its objects. @throws LauncherError */
export async function deletePreviewWorker(branch: string, values: Values, context: Context): Promise<void> {
  const { deletePreview } = await import('./deploy.ts')
  const deployment = deploymentOf(values, context)
  const found = previewOf(branch, deployment, context)
  await deletePreview(deployment, found)
  context.print(`edgeplane: the preview ${found.name} and all its objects are deleted\n`)
}

export const cloudflareCommands: readonly Command<Context>[] = [
  {
    name: 'deploy',
    summary: 'deploy to your Cloudflare account, or change a deployment',
    options: deployOptions,
    run: runDeploy,
  },
  {
    name: 'upgrade',
    summary: 'deploy this release with the token and the settings of the last time',
    options: [nameOption],
    run: runUpgrade,
  },
  { name: 'status', summary: 'show a deployment, and whether it is ready', options: [nameOption], run: runStatus },
  {
    name: 'destroy',
    summary: 'delete a deployment with all its objects',
    options: [nameOption, { name: 'yes', help: ['do not ask'] }],
    run: runDestroy,
  },
]
