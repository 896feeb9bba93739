/** Counts the evaluations of Pod Security for the metrics. Follows metrics of k8s.io/pod-security-admission. */
import type { LevelVersion } from '../../../clusters/pod-security.ts'
import type { Mode } from './policy.ts'

/** Counts the evaluations of one request. */
export interface PodSecurityCounter {
  /** A standard was evaluated (pod_security_evaluations_total). */
  evaluated(decision: 'allow' | 'deny', standard: LevelVersion, mode: Mode): void
  /** The request is exempt (pod_security_exemptions_total). */
  exempted(): void
  /** Something prevented a normal evaluation (pod_security_errors_total). @param fatal whether nothing was evaluated */
  failed(fatal: boolean): void
}

const nothing = (): void => undefined

/** Counts nothing. */
export const noCounter: PodSecurityCounter = { evaluated: nothing, exempted: nothing, failed: nothing }
