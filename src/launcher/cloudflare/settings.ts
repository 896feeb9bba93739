/** The settings of a deployment as variables and secrets of a Worker, within the limits of the platform. */
import { readFileSync } from 'node:fs'
import { settingRows, splittableVariables } from '../../config/settings.ts'
import { splitSetting } from '../../config/split-settings.ts'
import { accessSettings } from '../access-settings.ts'
import type { Values } from '../command-line.ts'
import { LauncherError, reasonOf } from '../launcher-error.ts'
import { readStartOptions } from '../options.ts'

/** The most bytes of a variable or secret, and the most of them with a paid plan. */
const longestVariable = 5 * 1024
const mostVariables = 128

/** Settings that hold credentials. */
const secretSettings: ReadonlySet<string> = new Set(settingRows.flatMap(([, { variable, secret }]) => (secret ? [variable] : [])))

function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new LauncherError(`The file ${file} cannot be read: ${reasonOf(error)}.`)
  }
}

/** Reads `NAME=VALUE` of `--var`. */
function variableIn(text: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^([A-Z][A-Z0-9_]*)=([\s\S]*)$/.exec(text) ?? []
  if (name === '') throw new LauncherError(`--var must be NAME=VALUE, not "${text}".`)
  if (name === 'ADMIN_TOKEN') throw new LauncherError("The administrator's token is made here: --rotate-token makes a new one.")
  return [name, value]
}

/**
 * Returns the settings that a command line names; '' for those that it removes.
 * @throws LauncherError for a value or a file that the Worker would refuse
 */
export async function givenSettings(values: Values, directory: string): Promise<Record<string, string>> {
  const options = readStartOptions(values, directory)
  const { texts } = await accessSettings(options)
  const given: Record<string, string> = { ...options.settings }
  for (const [name, text] of Object.entries(texts)) if (text !== '') given[name] = text
  const { auditPolicy, rootCertificate } = options.files
  if (auditPolicy !== undefined) given.AUDIT_POLICY = fileText(auditPolicy)
  if (rootCertificate !== undefined) given.ROOT_CERTIFICATE = fileText(rootCertificate)
  for (const text of values.list('var') ?? []) {
    const [name, value] = variableIn(text)
    given[name] = value
  }
  return given
}

/** Variables and secrets, as wrangler takes them. */
export interface WorkerVariables {
  readonly vars: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
}

/**
 * Splits settings into variables and secrets.
 * @param former settings of the last deployment: a secret that is gone is emptied, because deployments keep secrets
 * @throws LauncherError if the platform would refuse them
 */
export function workerVariables(
  settings: Readonly<Record<string, string>>,
  former: Readonly<Record<string, string>>,
): WorkerVariables {
  const vars: Record<string, string> = {}
  const secrets: Record<string, string> = {}
  const splittable = new Set(splittableVariables)
  for (const name of Object.keys(former)) {
    if (secretSettings.has(name) && settings[name] === undefined) secrets[`${name}_PARTS`] = '0'
  }
  for (const [name, text] of Object.entries(settings)) {
    const isLong = Buffer.byteLength(text) > longestVariable
    if (isLong && !splittable.has(name)) {
      throw new LauncherError(`${name} has more than ${longestVariable} bytes, the most that Cloudflare takes.`)
    }
    if (secretSettings.has(name)) Object.assign(secrets, splitSetting(name, text, longestVariable))
    else if (isLong) Object.assign(vars, splitSetting(name, text, longestVariable))
    else vars[name] = text
  }
  const count = Object.keys(vars).length + Object.keys(secrets).length + 1
  if (count > mostVariables) {
    throw new LauncherError(
      `The settings need ${count} variables, and Cloudflare takes ${mostVariables}: shorten the longest file.`,
    )
  }
  return { vars, secrets }
}
