/** The local record of a deployment on Cloudflare: a folder for each, readable by its owner only. */
import { join } from 'node:path'
import { adminToken } from '../admin-token.ts'
import { dataDirectoryAt, readIfPresent, writePrivateFile } from '../data-directory.ts'
import { LauncherError } from '../launcher-error.ts'

/** The facts that an upgrade repeats. */
export interface DeploymentFacts {
  /** The address of clients, `https://HOST`; '' until the first upload. */
  readonly url: string
  /** The settings of docs/configuration.md that were given, by their names. */
  readonly settings: Readonly<Record<string, string>>
  /** A custom domain; undefined for an address of workers.dev. */
  readonly domain: string | undefined
  /** Further fields of wrangler's configuration, such as bindings. */
  readonly wrangler: Readonly<Record<string, unknown>>
}

/** The folder of one deployment. */
export class Deployment {
  readonly name: string
  readonly path: string

  /**
   * @param path of the folder
   * @throws LauncherError for a name that Cloudflare would refuse
   */
  constructor(directory: string, name: string, path = join(directory, '.edgeplane/cloudflare', name)) {
    if (!/^[a-z0-9]([a-z0-9-]{0,52}[a-z0-9])?$/.test(name)) {
      throw new LauncherError(`--name must have at most 54 lower-case letters, digits and hyphens, not "${name}".`)
    }
    this.name = name
    this.path = path
  }

  get kubeconfig(): string {
    return join(this.path, 'kubeconfig')
  }

  /** wrangler's configuration, beside which it keeps files of its own. */
  get wranglerConfig(): string {
    return join(this.path, 'wrangler.json')
  }

  /** The facts of the last deployment from here; undefined before the first. */
  get facts(): DeploymentFacts | undefined {
    const text = readIfPresent(this.#factsFile)
    if (text === undefined) return undefined
    try {
      const { url = '', settings = {}, domain, wrangler = {} } = JSON.parse(text) as Partial<DeploymentFacts>
      return { url, settings, domain, wrangler }
    } catch {
      throw new LauncherError(`The file ${this.#factsFile} is no JSON: delete it, and deploy with all options.`)
    }
  }

  store(facts: DeploymentFacts): void {
    writePrivateFile(this.#factsFile, `${JSON.stringify(facts, undefined, 2)}\n`)
  }

  /** Returns the administrator's token: that of the environment, or the one of this folder, which is made at the first call. */
  token(): string {
    const { EDGEPLANE_ADMIN_TOKEN: given = '' } = process.env
    if (given !== '') writePrivateFile(join(this.path, 'admin-token'), `${given}\n`)
    return adminToken(dataDirectoryAt(this.path))
  }

  get #factsFile(): string {
    return join(this.path, 'deployment.json')
  }
}
