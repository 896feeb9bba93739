/**
 * Protected groups (*.k8s.io, *.kubernetes.io), whose definitions must name their API approval. Follows apihelpers of
 * apiextensions-apiserver.
 */
import { goQuote } from '../go/text.ts'

/** The annotation with the approval. */
export const approvalAnnotation = 'api-approved.kubernetes.io'

const protectedGroups = ['k8s.io', 'kubernetes.io']

/** Whether the group is protected. */
export function isProtectedGroup(group: string): boolean {
  return protectedGroups.some((name) => group === name || group.endsWith(`.${name}`))
}

/** The approval that an annotation states. */
export interface Approval {
  readonly state: 'missing' | 'bypassed' | 'approved' | 'invalid'
  readonly reason: string
}

const proposal = 'see https://github.com/kubernetes/enhancements/pull/1111'
const must = `protected groups must have approval annotation ${goQuote(approvalAnnotation)}`

function isAbsoluteUrl(text: string): boolean {
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]+/.test(text)
}

/** Parses the annotation: a URL, or a reason that begins with "unapproved". */
export function approvalOf(annotation: string): Approval {
  if (annotation === '') return { state: 'missing', reason: `${must}, ${proposal}` }
  if (annotation.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${goQuote(annotation)}` }
  if (isAbsoluteUrl(annotation)) return { state: 'approved', reason: `approved in ${annotation}` }
  return { state: 'invalid', reason: `${must} with either a URL or a reason starting with "unapproved", ${proposal}` }
}
