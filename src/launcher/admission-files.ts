/** The file of --admission-control-config-file, and the files that it names: the Worker reads no files. */
import { dirname, isAbsolute, resolve } from 'node:path'
import type { AdmissionPluginName } from '../config/admission/plugin-names.ts'
import { completeKubeconfig, type Fields, isFields, readObject } from './secret-files.ts'

const webhooks: ReadonlySet<string> = new Set(['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'])

/** The plugins whose configuration may be the file itself. */
const legacy: readonly AdmissionPluginName[] = ['ImagePolicyWebhook', 'PodNodeSelector']

/** Replaces the name of a kubeconfig by its content. */
async function inlineKubeconfig(fields: Fields): Promise<Fields> {
  const { kubeConfigFile, ...others } = fields
  if (typeof kubeConfigFile !== 'string' || kubeConfigFile === '') return fields
  const file = resolve(kubeConfigFile)
  return { ...others, kubeConfig: await completeKubeconfig(await readObject(file), dirname(file)) }
}

function requireAbsolute({ kubeConfigFile }: Fields): void {
  if (typeof kubeConfigFile !== 'string' || kubeConfigFile === '' || isAbsolute(kubeConfigFile)) return
  throw new Error(`kubeConfigFile: Invalid value: ${JSON.stringify(kubeConfigFile)}: must be an absolute file path`)
}

async function completeConfiguration(name: unknown, configuration: unknown): Promise<unknown> {
  if (!isFields(configuration)) return configuration
  if (webhooks.has(String(name))) {
    requireAbsolute(configuration)
    return inlineKubeconfig(configuration)
  }
  const { imagePolicy } = configuration
  const isImagePolicy = name === 'ImagePolicyWebhook' && isFields(imagePolicy)
  return isImagePolicy ? { ...configuration, imagePolicy: await inlineKubeconfig(imagePolicy) } : configuration
}

async function completePlugin(plugin: unknown, directory: string): Promise<unknown> {
  if (!isFields(plugin)) return plugin
  const { path, ...others } = plugin
  const hasFile = (others.configuration ?? undefined) === undefined && typeof path === 'string' && path !== ''
  const configuration = hasFile ? await readObject(resolve(directory, path)) : others.configuration
  return { ...others, configuration: await completeConfiguration(others.name, configuration) }
}

/** Converts a file with the configuration of a plugin alone, as earlier releases had it. */
function withoutLegacy(value: unknown): unknown {
  if (!isFields(value) || value.kind !== undefined) return value
  if (value.imagePolicy === undefined && value.podNodeSelectorPluginConfig === undefined) return value
  const plugins = legacy.map((name) => ({ name, configuration: value }))
  return { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }
}

/**
 * Completes an AdmissionConfiguration with the files that the configurations of enabled plugins name. Values of other forms stay
 * as they are.
 * @param directory to which relative paths refer
 * @throws Error if a file cannot be read
 */
export async function completeAdmission(
  value: unknown,
  directory: string,
  enabled: readonly AdmissionPluginName[],
): Promise<unknown> {
  const document = withoutLegacy(value)
  if (!isFields(document) || !Array.isArray(document.plugins)) return document
  const isRead = (plugin: unknown): boolean => !isFields(plugin) || enabled.some((name) => name === plugin.name)
  const plugins = await Promise.all(document.plugins.filter(isRead).map((plugin) => completePlugin(plugin, directory)))
  return { ...document, plugins }
}
