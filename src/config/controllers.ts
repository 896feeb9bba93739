/** The enabled controllers: the flag `--controllers` of kube-controller-manager, for the controllers that Edgeplane has. */

/** Their names in kube-controller-manager. */
export const controllerNames = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
] as const

export type ControllerName = (typeof controllerNames)[number]

const isName = (text: string): text is ControllerName => controllerNames.some((name) => name === text)

/**
 * Parses a comma-separated list of names: `*` stands for all, `-name` for all but this one. The first mention of a controller
 * counts. Without a list all are enabled.
 * @throws Error that names an unknown controller
 */
export function enabledControllers(list: string): ReadonlySet<ControllerName> {
  const words = list === '' ? ['*'] : list.split(',').map((word) => word.trim())
  const unknown = words.find((word) => word !== '*' && !isName(word.replace(/^-/, '')))
  if (unknown !== undefined) throw new Error(`there is no controller "${unknown}"; there are ${controllerNames.join(', ')}`)
  const runs = (name: ControllerName): boolean => {
    const own = words.find((word) => word === name || word === `-${name}`)
    return own === undefined ? words.includes('*') : own === name
  }
  return new Set(controllerNames.filter(runs))
}
