/**
 * The feature gates that change how this server behaves: one set for a process, as component-base's DefaultFeatureGate is.
 * `--feature-gates` and the setting FEATURE_GATES switch them before the first request.
 */

/** The gates that are looked at anywhere: their stage in release 1.36, and whether they are on where nothing is set. */
const gates = {
  /** Objects in CBOR. */
  CBORServingAndStorage: { stage: 'alpha', isDefault: false },
  /** Large answers go out compressed to clients that take them so. */
  APIResponseCompression: { stage: 'beta', isDefault: true },
} as const

/** The name of such a gate. */
export type FeatureGate = keyof typeof gates

/** Gates that stand for all of a stage that are not named themselves. */
const stages = { AllAlpha: 'alpha', AllBeta: 'beta' } as const

const enabled = new Map<string, boolean>(Object.entries(gates).map(([name, { isDefault }]) => [name, isDefault]))

/** Whether a feature is on. */
export const isEnabled = (gate: FeatureGate): boolean => enabled.get(gate) === true

/**
 * Switches gates.
 * @param list `NAME=true,NAME=false`; names of gates that change nothing here are passed over: the launcher checks them
 */
export function switchFeatureGates(list: string): void {
  const asked = new Map(
    list.split(',').map((entry): [string, string | undefined] => {
      const [name = '', value] = entry.split('=')
      return [name, value]
    }),
  )
  for (const [all, stage] of Object.entries(stages)) {
    const value = asked.get(all)
    if (value === undefined) continue
    for (const [name, gate] of Object.entries(gates)) if (gate.stage === stage) enabled.set(name, value === 'true')
  }
  for (const name of Object.keys(gates)) {
    const value = asked.get(name)
    if (value !== undefined) enabled.set(name, value === 'true')
  }
}
