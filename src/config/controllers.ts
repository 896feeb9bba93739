/** Which controllers run: `--controllers` of kube-controller-manager, over those that Edgeplane has of them. */

/** By the names that kube-controller-manager gives them. */
export const controllerNames = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
] as const

export type ControllerName = (typeof controllerNames)[number]

const isName = (text: string): text is ControllerName => controllerNames.some((name) => name === text)

/**
 * Reads a list of names, separated by commas: `*` stands for all, `-name` for all but this one. Of two words about the same
 * controller the first counts. Without a list all run.
 * @throws Error that names what is no controller
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
