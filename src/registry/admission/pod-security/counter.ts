/** Counts the evaluations of Pod Security for the metrics. Follows k8s.io/pod-security-admission/metrics. */
import type { LevelVersion, Mode } from '../../../clusters/pod-security.ts'
import type { AdmissionAttributes, AdmissionFindings } from '../plugin.ts'

/** The minor version of the emulated release. Later ones are counted as one. */
const emulatedMinor = 36

/** The resources with a label of their own. All others are counted as controllers. */
const resourceLabels: Readonly<Record<string, string>> = { pods: 'pod', namespaces: 'namespace' }

function versionLabel({ level, version }: LevelVersion): string {
  // The versions of `privileged` do not differ.
  if (level === 'privileged' || version === 'latest') return 'latest'
  return Number(version.slice('v1.'.length)) > emulatedMinor ? 'future' : version
}

/** Counts the evaluations of one request. */
export class PodSecurityCounter {
  readonly #attributes: AdmissionAttributes
  readonly #findings: AdmissionFindings

  constructor(attributes: AdmissionAttributes, findings: AdmissionFindings) {
    this.#attributes = attributes
    this.#findings = findings
  }

  /** Counts the evaluation of a standard. */
  evaluated(decision: 'allow' | 'deny', standard: LevelVersion, mode: Mode): void {
    const labels = [decision, standard.level, versionLabel(standard), mode, ...this.#labels]
    this.#findings.measure('pod_security_evaluations_total', labels)
  }

  /** Counts an exempt request. */
  exempted(): void {
    this.#findings.measure('pod_security_exemptions_total', this.#labels)
  }

  /** Counts an error that prevented a normal evaluation. @param fatal whether nothing was evaluated */
  failed(fatal: boolean): void {
    this.#findings.measure('pod_security_errors_total', [String(fatal), ...this.#labels])
  }

  get #labels(): readonly string[] {
    const { operation, kind, subresource } = this.#attributes
    return [operation.toLowerCase(), resourceLabels[kind.storage.prefix] ?? 'controller', subresource]
  }
}
