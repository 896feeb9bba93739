/** A lane: requests that go out one after another, upon objects that no other lane touches. */

export interface Lane {
  readonly number: number
  readonly namespace: string
}

export const laneOf = (number: number): Lane => ({ number, namespace: `attack-${number}` })

/** What a recorded request has from an earlier answer, and what stands for it here. */
const remembered: Readonly<Record<string, string>> = { OPS: '', OPEN: '[', CLOSE: ']', RV: '1', TOKEN: 'x.y.z', CONT: 'x' }

/**
 * Replaces the variables of a template.
 * @param chance what stands for chance in the names of the scenario that the template is of
 */
export function replaced(text: string, { number, namespace }: Lane, chance = ''): string {
  return text
    .replaceAll('$NAMESPACE', namespace)
    .replaceAll('$LANE', String(number))
    .replace(/\$\{(\w+)\}/g, (_, name: string) => {
      if (name === 'NS') return namespace
      return name === 'RAND' ? chance : (remembered[name] ?? '1')
    })
}
