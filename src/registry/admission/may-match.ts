/** Decides by rules alone whether policies or webhooks may match a request, so that others pay nothing for them. */
import type { AdmissionConfiguration } from '../../clusters/admission-configuration.ts'
import type { AdmissionAttributes } from './plugin.ts'

/** Whether a policy or webhook of the configuration may match. */
export function mayMatch(
  { tag }: AdmissionConfiguration,
  _request: Pick<AdmissionAttributes, 'operation' | 'kind' | 'subresource'>,
): boolean {
  return tag !== ''
}
