/**
 * The feature gates that change how this server behaves: one set per process, as component-base's DefaultFeatureGate.
 * `--feature-gates` and the setting FEATURE_GATES switch them before the first request.
 */

/** The gates that the code reads, with their stage in release 1.36 and their default. */
const gates = {
  /** Objects in CBOR. */
  CBORServingAndStorage: { stage: 'alpha', isDefault: false },
  /** Large responses are compressed if the client accepts it. */
  APIResponseCompression: { stage: 'beta', isDefault: true },
} as const

/** The name of a gate. */
export type FeatureGate = keyof typeof gates

/** Gates that switch all gates of a stage, except those that are named themselves. */
const stages = { AllAlpha: 'alpha', AllBeta: 'beta' } as const

const enabled = new Map<string, boolean>(Object.entries(gates).map(([name, { isDefault }]) => [name, isDefault]))

/** Whether a feature is enabled. */
export const isEnabled = (gate: FeatureGate): boolean => enabled.get(gate) === true

/**
 * Switches gates.
 * @param list `NAME=true,NAME=false`; gates that change nothing here are ignored, because the launcher has checked the names
 */
export function switchFeatureGates(list: string): void {
  const requested = new Map(
    list.split(',').map((entry): [string, string | undefined] => {
      const [name = '', value] = entry.split('=')
      return [name, value]
    }),
  )
  for (const [all, stage] of Object.entries(stages)) {
    const value = requested.get(all)
    if (value === undefined) continue
    for (const [name, gate] of Object.entries(gates)) if (gate.stage === stage) enabled.set(name, value === 'true')
  }
  for (const name of Object.keys(gates)) {
    const value = requested.get(name)
    if (value !== undefined) enabled.set(name, value === 'true')
  }
}
