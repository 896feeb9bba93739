/** Sets the requests and limits of a LimitRange in containers without them. Follows the plugin LimitRanger of k8s.io/kubernetes. */
import type {
  Container,
  LimitRangeSpec,
  Pod,
  ResourceList,
  ResourceRequirements,
} from '../../../catalog/generated/types/core.v1.ts'
import { sortedKeys } from '../../../go/sorted-keys.ts'

const annotation = 'kubernetes.io/limit-ranger'

/** The requests and limits of containers that a LimitRange sets. */
interface Defaults {
  readonly requests: ResourceList
  readonly limits: ResourceList
}

function defaultsOf({ limits }: LimitRangeSpec): Defaults {
  const items = (limits ?? []).filter(({ type }) => type === 'Container')
  return {
    requests: Object.assign({}, ...items.map(({ defaultRequest }) => defaultRequest ?? {})),
    limits: Object.assign({}, ...items.map(({ default: limit }) => limit ?? {})),
  }
}

/** Adds missing amounts. Returns the names of those that were added, sorted. */
function complete(resources: ResourceRequirements, which: keyof Defaults, defaults: Defaults): string[] {
  const own = resources[which] ?? {}
  const missing = Object.keys(defaults[which]).filter((name) => !Object.hasOwn(own, name))
  if (missing.length > 0) resources[which] = sortedKeys({ ...defaults[which], ...own })
  return missing.sort()
}

/** Adds missing amounts to a container. Returns the notes for the annotation. */
function completeContainer({ resources, name }: Container, defaults: Defaults, kind: string): string[] {
  const note = (added: readonly string[], which: string): string[] =>
    added.length === 0 ? [] : [`${added.join(', ')} ${which} for ${kind} ${name}`]
  const limits = complete(resources, 'limits', defaults)
  return [...note(complete(resources, 'requests', defaults), 'request'), ...note(limits, 'limit')]
}

/** Sets the defaults of a LimitRange in a Pod's containers, and describes in an annotation which were set. */
export function setDefaults({ metadata, spec }: Pod, range: LimitRangeSpec): void {
  const defaults = defaultsOf(range)
  const notes = [
    ...(spec.containers ?? []).flatMap((container) => completeContainer(container, defaults, 'container')),
    ...(spec.initContainers ?? []).flatMap((container) => completeContainer(container, defaults, 'init container')),
  ]
  if (notes.length === 0) return
  metadata.annotations = sortedKeys({ ...metadata.annotations, [annotation]: `LimitRanger plugin set: ${notes.join('; ')}` })
}
