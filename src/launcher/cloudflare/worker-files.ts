/** Writes what wrangler uploads: the Worker's modules, its configuration and its secrets. */
import { copyFileSync, linkSync, mkdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { type DataDirectory, dataDirectoryAt, writePrivateFile } from '../data-directory.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { entryModule } from '../workerd-config.ts'
import type { Deployment, DeploymentFacts } from './deployment.ts'
import type { WorkerVariables } from './settings.ts'
import { packageRoot, wranglerPackage } from './wrangler.ts'

type Fields = Readonly<Record<string, unknown>>

/** Reads the package's wrangler.toml with wrangler's own reader. */
function packageConfig(): Fields {
  const configPath = join(packageRoot, 'wrangler.toml')
  try {
    const wrangler = createRequire(wranglerPackage())(wranglerPackage().replace(/package\.json$/, 'wrangler-dist/cli.js')) as {
      experimental_readRawConfig: (options: { config: string }) => { rawConfig: Fields }
    }
    return wrangler.experimental_readRawConfig({ config: configPath }).rawConfig
  } catch (error) {
    throw new LauncherError(`${configPath} cannot be read: ${reasonOf(error)}.`)
  }
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Writes the configuration, and the modules that it names. The bundle is uploaded as it is.
 * @throws LauncherError if a file cannot be written
 */
export function writeWorkerFiles(
  deployment: Deployment,
  modules: readonly string[],
  { domain, wrangler }: DeploymentFacts,
  { vars }: Pick<WorkerVariables, 'vars'>,
): void {
  const { build: _build, minify: _minify, vars: defaults, previews, ...rest } = packageConfig()
  const directory = dataDirectoryAt(deployment.path)
  mkdirSync(directory.run, { recursive: true, mode: 0o700 })
  copyWorker(modules, directory)
  const variables = { ...(isFields(defaults) && defaults), ...vars }
  const config = {
    ...rest,
    name: deployment.name,
    main: `run/worker/${entryModule}`,
    no_bundle: true,
    find_additional_modules: true,
    rules: [{ type: 'ESModule', globs: ['**/*.js'] }],
    vars: variables,
    ...(isFields(previews) && {
      previews: {
        ...previews,
        vars: { ...(isFields(previews.vars) && previews.vars), ...vars, SERVER_ADDRESS: '', SERVICE_ACCOUNT_ISSUER: '' },
      },
    }),
    ...(domain !== undefined && { routes: [{ pattern: domain, custom_domain: true }], workers_dev: false, preview_urls: false }),
    ...wrangler,
  }
  writePrivateFile(deployment.wranglerConfig, JSON.stringify(config, undefined, 2))
}

/**
 * Copies the Worker's modules.
 * @param modules their paths, the entry first
 * @throws LauncherError if they cannot be copied
 */
function copyWorker(modules: readonly string[], directory: DataDirectory): void {
  const copies = join(directory.run, 'worker')
  try {
    rmSync(copies, { recursive: true, force: true })
    mkdirSync(copies, { mode: 0o700 })
    for (const [index, module] of modules.entries()) {
      keepFile(module, join(copies, index === 0 ? entryModule : basename(module)))
    }
  } catch (error) {
    throw new LauncherError(`The Worker's bundle ${modules[0]} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Makes a link, which keeps the file when a build replaces it, or a copy on another file system. */
function keepFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}
