/** The enabled controllers: the flag `--controllers` of kube-controller-manager, for the controllers that Edgeplane has. */

/** Their names in kube-controller-manager. */
export const controllerNames = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'storage-version-migrator-controller',
  'validatingadmissionpolicy-status-controller',
] as const

export type ControllerName = (typeof controllerNames)[number]

/** The controllers that `*` does not enable: clients without them see the status of a policy as they wrote it. */
const disabledByDefault: ReadonlySet<ControllerName> = new Set(['validatingadmissionpolicy-status-controller'])

const isName = (text: string): text is ControllerName => controllerNames.some((name) => name === text)

/**
 * Parses a comma-separated list of names: `*` stands for all that are enabled by default, `-name` disables one. The first mention
 * of a controller counts. The list `*` is the default.
 * @throws Error that names an unknown controller
 */
export function enabledControllers(list: string): ReadonlySet<ControllerName> {
  const words = list === '' ? ['*'] : list.split(',').map((word) => word.trim())
  const unknown = words.find((word) => word !== '*' && !isName(word.replace(/^-/, '')))
  if (unknown !== undefined) throw new Error(`there is no controller "${unknown}"; there are ${controllerNames.join(', ')}`)
  const runs = (name: ControllerName): boolean => {
    const own = words.find((word) => word === name || word === `-${name}`)
    return own === undefined ? words.includes('*') && !disabledByDefault.has(name) : own === name
  }
  return new Set(controllerNames.filter(runs))
}
