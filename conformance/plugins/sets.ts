/** Sets of scenarios for servers with other admission plugins than the default ones. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The flags of a set, which kube-apiserver and this server share. */
export interface PluginSet {
  readonly enable: readonly string[]
  readonly disable: readonly string[]
  /** Further flags. */
  readonly flags: readonly string[]
  /**
   * Returns the file of --admission-control-config-file.
   * @param directory for temporary files
   * @param backend the port of the image policy's backend
   */
  readonly configuration: (directory: string, backend: number) => string
}

/** Writes the configuration of ImagePolicyWebhook, as a file of its own, which kube-apiserver accepts too. */
function imagePolicy(directory: string, backend: number): string {
  const kubeConfigFile = join(directory, 'backend.json')
  const kubeconfig = {
    'current-context': 'backend',
    contexts: [{ name: 'backend', context: { cluster: 'backend', user: 'server' } }],
    clusters: [{ name: 'backend', cluster: { server: `http://127.0.0.1:${backend}/` } }],
    users: [{ name: 'server', user: {} }],
  }
  writeFileSync(kubeConfigFile, JSON.stringify(kubeconfig))
  const file = join(directory, 'image-policy.json')
  writeFileSync(file, JSON.stringify({ imagePolicy: { kubeConfigFile, retryBackoff: 1 } }))
  return file
}

/** The sets by the names of their folders. */
export const sets: Readonly<Record<'guards' | 'provision', PluginSet>> = {
  guards: {
    enable: [
      'AlwaysPullImages',
      'DenyServiceExternalIPs',
      'EventRateLimit',
      'ExtendedResourceToleration',
      'LimitPodHardAntiAffinityTopology',
      'NamespaceExists',
      'NodeRestriction',
      'OwnerReferencesPermissionEnforcement',
      'PodNodeSelector',
      'PodTolerationRestriction',
    ],
    disable: [],
    flags: ['--default-not-ready-toleration-seconds=60'],
    configuration: () => join(import.meta.dirname, 'guards', 'admission.yaml'),
  },
  provision: {
    enable: ['AlwaysAdmit', 'ImagePolicyWebhook', 'NamespaceAutoProvision'],
    disable: ['DefaultTolerationSeconds', 'Priority', 'ServiceAccount'],
    flags: [],
    configuration: imagePolicy,
  },
}

/** Returns the arguments with which a server of a set is started. */
export function argumentsOf({ enable, disable, flags, configuration }: PluginSet, directory: string, backend: number): string[] {
  return [
    `--enable-admission-plugins=${enable.join(',')}`,
    ...(disable.length === 0 ? [] : [`--disable-admission-plugins=${disable.join(',')}`]),
    `--admission-control-config-file=${configuration(directory, backend)}`,
    ...flags,
  ]
}
