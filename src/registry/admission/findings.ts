/** Collects the warnings and audit annotations of one attempt of a write. */
import { ApiError } from '../../meta/errors.ts'
import type { WriteResult } from '../registry.ts'
import type { AdmissionFindings } from './plugin.ts'

/** The findings of one attempt. A repeated attempt begins with none. */
export class CollectedFindings implements AdmissionFindings {
  readonly warnings: string[] = []
  readonly annotations: Record<string, string> = {}

  warn(text: string): void {
    this.warnings.push(text)
  }

  annotate(key: string, value: string): void {
    this.annotations[key] = value
  }
}

/**
 * Performs a write and adds the findings of its admission to the result, or to the error.
 * @throws the errors of `perform`
 */
export function withFindings(perform: (findings: CollectedFindings) => WriteResult): WriteResult {
  const findings = new CollectedFindings()
  try {
    return withFound(perform(findings), findings)
  } catch (error) {
    if (error instanceof ApiError) {
      error.warning(findings.warnings)
      error.annotations = { ...findings.annotations, ...error.annotations }
    }
    throw error
  }
}

function withFound(result: WriteResult, { warnings, annotations }: CollectedFindings): WriteResult {
  const isAnnotated = Object.keys(annotations).length > 0
  if (warnings.length === 0 && !isAnnotated) return result
  return {
    ...result,
    warnings: [...warnings, ...(result.warnings ?? [])],
    ...(isAnnotated && { annotations: { ...annotations, ...result.annotations } }),
  }
}
