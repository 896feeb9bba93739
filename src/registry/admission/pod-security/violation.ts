/** The parts that checks of Pod Security share: containers, lists of names, and the error of a check. */
import type {
  Container,
  EphemeralContainer,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from '../../../catalog/generated/types/core.v1.ts'
import { compareText } from '../../../go/text.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'

/** The error of one check. */
export interface Violation {
  /** The rule in a few words: `host namespaces`. */
  readonly reason: string
  /** The fields of the Pod that violate it; may be ''. */
  readonly detail: string
}

/** Checks a Pod or the template of one; returns undefined if it is allowed. */
export type Check = (metadata: ObjectMeta, spec: PodSpec) => Violation | undefined

type AnyContainer = Container | EphemeralContainer

/** Returns all containers of a Pod: initContainers, containers and ephemeralContainers. */
export const containersOf = ({ initContainers, containers, ephemeralContainers }: PodSpec): readonly AnyContainer[] => [
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...(ephemeralContainers ?? []),
]

/** Returns the names of the containers that `isForbidden` finds. It is called for every container. */
export const containersThat = (spec: PodSpec, isForbidden: (container: AnyContainer) => boolean): string[] =>
  containersOf(spec)
    .filter(isForbidden)
    .map(({ name }) => name)

/** Returns `one` for a count of 1, otherwise `several`. */
export const plural = (count: number, one: string, several = `${one}s`): string => (count === 1 ? one : several)

/** Formats texts as `"a", "b"`. */
export const quoted = (texts: readonly string[]): string => (texts.length === 0 ? '' : `"${texts.join('", "')}"`)

/** Formats texts as `container "a"` or `containers "a", "b"`. */
export const counted = (noun: string, texts: readonly string[]): string => `${plural(texts.length, noun)} ${quoted(texts)}`

/** Returns the texts sorted by their bytes, each once. */
export const sortedTexts = (texts: Iterable<string>): string[] => [...new Set(texts)].sort(compareText)

/**
 * Returns the parts of a Pod whose securityContext `isForbidden` finds: `pod`, `container "a"`. It is called for every
 * securityContext.
 */
export function settersOf(spec: PodSpec, isForbidden: (context: PodSecurityContext | SecurityContext) => boolean): string[] {
  const pod = spec.securityContext !== undefined && isForbidden(spec.securityContext) ? ['pod'] : []
  const containers = containersThat(spec, ({ securityContext }) => securityContext !== undefined && isForbidden(securityContext))
  return [...pod, ...(containers.length > 0 ? [counted('container', containers)] : [])]
}

/** Returns a check that does not apply to Pods in a user namespace of their own. */
export const exceptUserNamespaces =
  (check: Check): Check =>
  (metadata, spec) =>
    spec.hostUsers === false ? undefined : check(metadata, spec)

/** Returns a check that does not apply to Windows Pods, for which validation forbids the field. */
export const exceptWindows =
  (check: Check): Check =>
  (metadata, spec) =>
    spec.os?.name === 'windows' ? undefined : check(metadata, spec)
