/** The selectors of admission webhooks and policies. Follows the packages predicates/namespace and predicates/object. */
import { internalError, notFound } from '../../../meta/errors.ts'
import type { LabelSelector, Labels } from '../../../meta/label-selector.ts'
import { type LabelSelectorObject, labelSelectorFrom } from '../../../meta/label-selector-object.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { type MatchRequest, namespaceOf } from './rules.ts'

/** The objects of a request, and the labels of its namespace. */
export interface MatchedObjects {
  /** Undefined for a DELETE. */
  readonly object: KubernetesObject | undefined
  /** Undefined for a CREATE and a CONNECT. */
  readonly old: KubernetesObject | undefined
  /** Returns the labels of a namespace; undefined if it does not exist. May throw MissingLookups. */
  readonly namespaceLabels: (name: string) => Labels | undefined
}

/** A selector that is parsed once; an invalid one throws at each use. */
export type ParsedSelector = () => LabelSelector

/** Returns a selector that is parsed when it is first used. */
export function parsedSelector(selector: LabelSelectorObject | undefined): ParsedSelector {
  let parsed: LabelSelector | undefined
  return () => {
    parsed ??= selectorFrom(selector)
    return parsed
  }
}

/** @throws ApiError 500 if the selector is invalid */
function selectorFrom(selector: LabelSelectorObject | undefined): LabelSelector {
  try {
    return labelSelectorFrom(selector)
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error))
  }
}

/** Whether a selector has no condition; an absent one has: it selects nothing. */
const selectsAll = (selector: LabelSelector): boolean => selector.requirements.length === 0 && selector.matches({})

/**
 * Whether a selector selects the namespace of a request. Requests for cluster-scoped objects always match; a Namespace is selected by
 * its own labels.
 * @throws ApiError 404 if the namespace does not exist, 500 if the selector is invalid, MissingLookups
 */
export function matchesNamespace(selector: ParsedSelector, request: MatchRequest, objects: MatchedObjects): boolean {
  const namespace = namespaceOf(request)
  const { kind, operation, subresource } = request
  const isOfNamespaces = kind.resource === 'namespaces'
  if (namespace === '' && !isOfNamespaces) return true
  const parsed = selector()
  if (selectsAll(parsed)) return true
  const isWritten = isOfNamespaces && subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')
  if (isWritten) return parsed.matches(objects.object?.metadata.labels)
  const labels = objects.namespaceLabels(namespace)
  if (labels === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace)
  return parsed.matches(labels)
}

/**
 * Whether a selector selects the object of a request, or its old state.
 * @throws ApiError 500 if the selector is invalid
 */
export function matchesObject(selector: ParsedSelector, { object, old }: MatchedObjects): boolean {
  const parsed = selector()
  if (selectsAll(parsed)) return true
  return [object, old].some((each) => each !== undefined && parsed.matches(each.metadata?.labels))
}
