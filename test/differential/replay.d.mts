/** A server, and the token of its administrator. */
export interface Access {
  readonly server: string
  readonly token: string
  /** The longest pause between two steps in milliseconds; absent for those of the scenario, which kube-apiserver needs. */
  readonly longestSleep?: number
}

/** A step whose answer differs. */
export interface DifferingStep {
  readonly scenario: string
  /** Its index. */
  readonly step: number
  /** What it does. */
  readonly of: string
  /** The first difference. */
  readonly difference: string
  /** Whether nothing but the numbers of resource versions differs: one write more or less changes those of all later steps. */
  readonly isNumberAlone: boolean
}

/**
 * Replays a file of scenarios. The server's certificate must be trusted, or NODE_TLS_REJECT_UNAUTHORIZED be 0.
 * @param folder contains `scenarios` and `golden`
 * @param name of the file without `.json`
 */
export function checkFile(folder: string, name: string, access: Access): Promise<DifferingStep[]>
