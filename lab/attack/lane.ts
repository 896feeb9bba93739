/** A lane: requests that are sent one after another, to objects that no other lane uses. */

export interface Lane {
  readonly number: number
  readonly namespace: string
}

export const laneOf = (number: number): Lane => ({ number, namespace: `attack-${number}` })

/** Replacements for variables that recorded requests take from earlier responses. */
const remembered: Readonly<Record<string, string>> = { OPS: '', OPEN: '[', CLOSE: ']', RV: '1', TOKEN: 'x.y.z', CONT: 'x' }

/**
 * Replaces the variables of a template.
 * @param chance the replacement of the random part in the names of the template's scenario
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
