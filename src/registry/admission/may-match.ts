/** Decides by rules alone whether policies or webhooks may match a request, so that others pay nothing for them. */
import type { AdmissionConfiguration } from '../../clusters/admission-configuration.ts'
import { AdmissionCandidates, type CandidateRequest } from './matching/candidates.ts'

const candidates = new WeakMap<AdmissionConfiguration, AdmissionCandidates>()

/** Whether a policy or webhook of the configuration may match. */
export function mayMatch(configuration: AdmissionConfiguration, request: CandidateRequest): boolean {
  if (configuration.tag === '') return false
  const known = candidates.get(configuration) ?? new AdmissionCandidates(configuration)
  candidates.set(configuration, known)
  return known.mayMatch(request)
}
