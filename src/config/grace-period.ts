/** The setting LIVEZ_GRACE_PERIOD. Follows k8s.io/apiserver/pkg/server/options. */
import { parseDuration } from '../go/duration.ts'

/**
 * Reads the time for which /livez succeeds after a start: a duration of Go.
 * @returns milliseconds
 * @throws Error in kube-apiserver's words if it is negative, and for a text that is not a duration
 */
export function readGracePeriod(text: string): number {
  const milliseconds = Number(parseDuration(text)) / 1e6
  if (milliseconds < 0) throw new Error('--livez-grace-period can not be a negative value')
  return milliseconds
}
