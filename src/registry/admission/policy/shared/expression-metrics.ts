/** Measures the compilation and evaluation of policies. The clock stands still during a commit: durations are 0. */
import type { AdmissionFindings } from '../../plugin.ts'
import { takeCompilations } from './compiled-policies.ts'

/** Measures the policies that were compiled since the last call. An attempt that lacked a lookup measures nothing. */
export function measureCompilations(findings: Pick<AdmissionFindings, 'measure'>): void {
  for (let made = takeCompilations(); made > 0; made--) {
    findings.measure('apiserver_cel_compilation_duration_seconds', [], 0)
  }
}

/** Measures one evaluation of a policy's expressions. */
export function measureEvaluation(findings: Pick<AdmissionFindings, 'measure'>): void {
  findings.measure('apiserver_cel_evaluation_duration_seconds', [], 0)
}

/** Returns the label error_type of the metrics of policies. A failed validation counts as an invalid_error too. */
export function errorType(message: string): string {
  if (message.startsWith('compilation')) return 'compile_error'
  return message.startsWith('validation failed due to running out of cost budget') ? 'out_of_budget' : 'invalid_error'
}
