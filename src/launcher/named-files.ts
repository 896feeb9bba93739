/** Configuration in files that name other files: the Worker has none, so what they hold takes the place of their names. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])

/** What a file of YAML or JSON holds. YAML is not loaded for those who write JSON. Throws Error where it cannot be read. */
export async function readObject(file: string): Promise<unknown> {
  const text = readFileSync(file, 'utf8')
  if (/^\s*[[{]/.test(text)) return JSON.parse(text)
  const { load } = await import('js-yaml')
  return load(text)
}

/**
 * An AuthorizationConfiguration with the connections of its webhooks. Values of other forms are left as they are.
 * @param directory from which names of files are taken
 */
export async function completeAuthorization(value: unknown, directory: string): Promise<unknown> {
  for (const { webhook } of isFields(value) ? listOf(value.authorizers) : []) {
    if (!isFields(webhook) || !isFields(webhook.connectionInfo)) continue
    const { type, kubeConfigFile } = webhook.connectionInfo
    if (type !== 'KubeConfigFile' || typeof kubeConfigFile !== 'string') continue
    const file = resolve(directory, kubeConfigFile)
    webhook.connectionInfo = { type: 'KubeConfig', kubeConfig: await completeKubeconfig(await readObject(file), dirname(file)) }
  }
  return value
}

/** A kubeconfig with its authorities and tokens. */
export async function completeKubeconfig(value: unknown, directory: string): Promise<unknown> {
  if (!isFields(value)) return value
  for (const { cluster } of listOf(value.clusters)) {
    if (!isFields(cluster)) continue
    replace(cluster, 'certificate-authority', 'certificate-authority-data', directory, (text) =>
      Buffer.from(text).toString('base64'),
    )
  }
  for (const { user } of listOf(value.users)) {
    if (isFields(user)) replace(user, 'tokenFile', 'token', directory, (text) => text.trim())
  }
  return value
}

/** What stands there already counts before the file, as for kubectl. */
function replace(fields: Fields, name: string, by: string, directory: string, read: (text: string) => string): void {
  const { [name]: file } = fields
  if (typeof file !== 'string' || file === '') return
  delete fields[name]
  fields[by] ??= read(readFileSync(resolve(directory, file), 'utf8'))
}
