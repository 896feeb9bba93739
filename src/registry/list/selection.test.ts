import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Kind } from '../../catalog/kind.ts'
import { kindOf } from '../../catalog/scheme.ts'
import type { Target } from '../../clusters/operation.ts'
import type { IndexHints, Stored } from '../../storage/store.ts'
import { select } from './selection.ts'

function found(group: string, version: string, resource: string): Kind {
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no ${resource}`)
  return kind
}
const configMaps = found('', 'v1', 'configmaps')
const nodes = found('', 'v1', 'nodes')
const target: Target = { group: '', version: 'v1', resource: 'configmaps', subresource: '', namespace: '', name: '' }

const stored = (key: string, labels: Record<string, string>): Stored => ({
  key,
  resourceVersion: 2,
  value: '{"metadata":{}}',
  labels: Object.keys(labels).length === 0 ? '' : JSON.stringify(labels),
})

const hasHints = ({ key, labels }: Stored, hints: IndexHints | undefined): boolean =>
  hints === undefined || (hints.labels.every((hint) => labels.includes(hint)) && key.endsWith(hints.keyEnd))

const label = fc.constantFrom('a', 'b', 'ab', 'example.com/a')
const value = fc.constantFrom('', 'x', 'y', 'xy', '7')
const requirement = fc.oneof(
  fc.tuple(label, fc.constantFrom('=', '==', '!='), value).map((parts) => parts.join('')),
  fc.tuple(label, fc.constantFrom('in', 'notin'), value, value).map(([l, operator, a, b]) => `${l} ${operator} (${a},${b})`),
  fc.tuple(label, fc.constantFrom(' in (x)', '>3', '<9', '')).map((parts) => parts.join('')),
  label.map((l) => `!${l}`),
)

describe('index hints of labelSelector and fieldSelector', () => {
  test('keep every object that the selectors select', () => {
    let selected = 0
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), fc.dictionary(label, value), (requirements, labels) => {
        const { matches, indexHints: hints } = select(configMaps, target, {
          labelSelector: requirements.join(','),
          fieldSelector: '',
        })
        const object = stored('configmaps/n/x', labels)
        if (!(matches?.(object) ?? true)) return
        selected++
        expect(hasHints(object, hints)).toBe(true)
      }),
      { numRuns: 500 },
    )
    expect(selected).toBeGreaterThan(0)
  })

  test('exclude objects with other labels or another metadata.name', () => {
    const { indexHints: hints } = select(configMaps, target, { labelSelector: 'a=x,b', fieldSelector: 'metadata.name=n1' })
    expect(hasHints(stored('configmaps/n/n1', { a: 'x', b: 'y' }), hints)).toBe(true)
    expect(hasHints(stored('configmaps/n/n1', { a: 'xy', b: 'y' }), hints)).toBe(false)
    expect(hasHints(stored('configmaps/n/n1', { a: 'x' }), hints)).toBe(false)
    expect(hasHints(stored('configmaps/n/my-n1', { a: 'x', b: 'y' }), hints)).toBe(false)
  })
})

describe('a list selection', () => {
  test('with fieldSelector metadata.namespace reads only that namespace', () => {
    const select1 = (kind: Kind, fieldSelector: string): string =>
      select(kind, target, { labelSelector: '', fieldSelector }).prefix
    expect(select1(configMaps, 'metadata.namespace=n')).toBe('configmaps/n/')
    expect(select1(configMaps, 'metadata.namespace!=n')).toBe('configmaps/')
    expect(select1(nodes, 'metadata.name=n')).toBe('nodes/')
  })

  test('with equal selectors returns the same matcher, so that watchers share events', () => {
    const selection = { labelSelector: 'a=x', fieldSelector: '' }
    const { matches } = select(configMaps, target, selection)
    expect(select(configMaps, target, { ...selection }).matches).toBe(matches)
    expect(select(configMaps, { ...target, namespace: 'n' }, selection).matches).not.toBe(matches)
    expect(select(nodes, target, selection).matches).not.toBe(matches)
  })
})
