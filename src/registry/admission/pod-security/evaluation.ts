/** Evaluates a Pod, or the template of one, against the policy of its namespace. */
import type { PodSpec } from '../../../catalog/generated/types/core.v1.ts'
import type { LevelVersion } from '../../../clusters/pod-security.ts'
import { aggregate } from '../../../meta/field-error.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import type { PodSecurityCounter } from './counter.ts'
import { evaluatePod, violationsText } from './evaluator.ts'
import { equalLevelVersions, levelVersionText, type NamespacePolicy } from './policy.ts'

/** A Pod, or the template of one. */
export interface PodOrTemplate {
  readonly metadata: ObjectMeta
  readonly spec: PodSpec
}

/** The result of an evaluation. */
export interface Evaluation {
  /** The end of the message with which the request is rejected; undefined if it is allowed. */
  readonly refusal?: string
  readonly warnings: readonly string[]
  /** Audit annotations by their keys without the prefix. */
  readonly annotations: Readonly<Record<string, string>>
}

/** Evaluates standards, each once. */
function evaluator(metadata: ObjectMeta, spec: PodSpec): (standard: LevelVersion) => string {
  const known: { readonly standard: LevelVersion; readonly text: string }[] = []
  return (standard) => {
    const found = known.find((other) => equalLevelVersions(other.standard, standard))
    if (found !== undefined) return found.text
    const text = violationsText(evaluatePod(standard, metadata, spec))
    known.push({ standard, text })
    return text
  }
}

/**
 * Evaluates all modes of a policy. Follows Admission.EvaluatePod of k8s.io/pod-security-admission/admission.
 * @param enforces whether violations of `enforce` reject the object: they do for Pods, not for the templates of Pods
 */
export function evaluatePolicy(
  { policy, errors }: NamespacePolicy,
  { metadata, spec }: PodOrTemplate,
  enforces: boolean,
  counter: Pick<PodSecurityCounter, 'evaluated' | 'failed'>,
): Evaluation {
  const annotations: Record<string, string> = {}
  const textOf = evaluator(metadata, spec)
  const violates = (verb: string, standard: LevelVersion): string =>
    `${verb} PodSecurity "${levelVersionText(standard)}": ${textOf(standard)}`
  if (errors.length > 0) {
    annotations.error = `Failed to parse policy: ${aggregate(errors)}`
    counter.failed(false)
  }
  const { enforce, audit, warn } = policy
  if (enforces) {
    annotations['enforce-policy'] = levelVersionText(enforce)
    counter.evaluated(textOf(enforce) === '' ? 'allow' : 'deny', enforce, 'enforce')
  }
  if (textOf(audit) !== '') {
    annotations['audit-violations'] = violates('would violate', audit)
    counter.evaluated('deny', audit, 'audit')
  }
  // A rejected request gets no warnings besides.
  if (enforces && textOf(enforce) !== '') return { refusal: violates('violates', enforce), warnings: [], annotations }
  if (textOf(warn) === '') return { warnings: [], annotations }
  counter.evaluated('deny', warn, 'warn')
  return { warnings: [violates('would violate', warn)], annotations }
}
