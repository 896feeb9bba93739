/**
 * Configuration files that name other files, such as kubeconfigs with their authorities and tokens: the Worker reads no files, so the
 * texts take the place of the names.
 */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** The fields of a document that is not checked yet. */
export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])

/** Reads a file of YAML or JSON. YAML's reader is not loaded for JSON. @throws Error if it cannot be read, or gives a key twice */
export async function readObject(file: string): Promise<unknown> {
  const text = readFileSync(file, 'utf8')
  if (/^\s*[[{]/.test(text)) return JSON.parse(text)
  const { readYaml, strictYamlError } = await import('../yaml/parse.ts')
  const { json, duplicates } = readYaml(text)
  if (duplicates.length > 0) throw new Error(strictYamlError(duplicates))
  return JSON.parse(json)
}

/**
 * Completes an AuthorizationConfiguration with the connections of its webhooks. Values of other forms stay as they are.
 * @param directory to which relative file names refer
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

/** Completes a kubeconfig with its authorities and tokens. */
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

/** Replaces a file's name by its text. A text that is given already wins, as for kubectl. */
function replace(fields: Fields, name: string, by: string, directory: string, read: (text: string) => string): void {
  const { [name]: file } = fields
  if (typeof file !== 'string' || file === '') return
  delete fields[name]
  fields[by] ??= read(readFileSync(resolve(directory, file), 'utf8'))
}
