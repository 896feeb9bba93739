/** Collects the warnings, audit annotations and measurements of one attempt of a request. */
import { ApiError } from '../../meta/errors.ts'
import type { Measurement, RequestFindings } from '../../meta/findings.ts'
import type { AdmissionMetric } from '../../meta/metrics/definitions/admission.ts'
import { WarningRecorder } from '../../meta/warnings.ts'
import type { WriteResult } from '../registry.ts'
import type { AdmissionFindings } from './plugin.ts'

/** The findings of one attempt. A repeated attempt begins with none. */
export class CollectedFindings implements AdmissionFindings {
  readonly #warnings = new WarningRecorder()
  readonly #annotations: Record<string, string> = {}
  readonly #measurements: Measurement[] = []

  warn(text: string): void {
    this.#warnings.add(text)
  }

  annotate(key: string, value: string): void {
    if (!Object.hasOwn(this.#annotations, key)) this.#annotations[key] = value
  }

  measure(metric: AdmissionMetric, labels: readonly string[], value = 1): void {
    this.#measurements.push({ metric, labels, value })
  }

  get warnings(): readonly string[] {
    return this.#warnings.texts
  }

  /** The annotations and measurements; undefined if it has neither. */
  get ofRequest(): RequestFindings | undefined {
    if (this.#measurements.length === 0 && Object.keys(this.#annotations).length === 0) return undefined
    return { annotations: this.#annotations, measurements: this.#measurements }
  }

  /** Adds the findings to an ApiError. Returns the error. */
  onError(error: unknown): unknown {
    if (error instanceof ApiError) {
      error.warning(this.warnings)
      error.findings = this.ofRequest
    }
    return error
  }
}

/**
 * Performs a write and adds the findings of its admission to the result, or to the error.
 * @throws the errors of `perform`
 */
export function withFindings(perform: (findings: CollectedFindings) => WriteResult): WriteResult {
  const findings = new CollectedFindings()
  try {
    const result = perform(findings)
    const { warnings, ofRequest } = findings
    if (warnings.length === 0 && ofRequest === undefined) return result
    return {
      ...result,
      warnings: [...warnings, ...(result.warnings ?? [])],
      ...(ofRequest !== undefined && { findings: ofRequest }),
    }
  } catch (error) {
    throw findings.onError(error)
  }
}
