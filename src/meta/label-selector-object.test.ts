import { expect, test } from 'vitest'
import { formatLabelSelectorObject, labelSelectorFrom, validateLabelSelector } from './label-selector-object.ts'

test('an absent label selector selects nothing, an empty one everything', () => {
  expect(labelSelectorFrom(undefined).matches({ a: '1' })).toBe(false)
  expect(labelSelectorFrom({}).matches({ a: '1' })).toBe(true)
})

test('matchLabels and matchExpressions must all match', () => {
  const selector = {
    matchLabels: { a: '1' },
    matchExpressions: [
      { key: 'b', operator: 'NotIn', values: ['z', 'y'] },
      { key: 'c', operator: 'Exists' },
    ],
  }
  expect(labelSelectorFrom(selector).matches({ a: '1', b: 'x', c: '' })).toBe(true)
  expect(labelSelectorFrom(selector).matches({ a: '1', b: 'y', c: '' })).toBe(false)
  expect(formatLabelSelectorObject(selector)).toBe('a=1,b notin (y,z),c')
  expect(formatLabelSelectorObject({})).toBe('<none>')
  expect(formatLabelSelectorObject({ matchExpressions: [{ key: 'a', operator: 'Is' }] })).toBe('<error>')
})

test('invalid label selectors are reported by field', () => {
  const expressions = [
    { key: 'a', operator: 'In' },
    { key: 'a', operator: 'Exists', values: ['x'] },
    { key: 'a', operator: 'Is' },
    { key: '', operator: 'In', values: ['-'] },
  ]
  const errors = validateLabelSelector({ matchLabels: { k: '-' }, matchExpressions: expressions }, 'spec.selector')
  expect(errors.map(({ field, text }) => `${field}: ${text.slice(0, 50)}`.trimEnd())).toEqual([
    'spec.selector.matchLabels: Invalid value: "-": a valid label must be an empty',
    'spec.selector.matchExpressions[0].values: Required value: must be specified when `operator`',
    'spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is',
    'spec.selector.matchExpressions[2].operator: Invalid value: "Is": not a valid selector operator',
    'spec.selector.matchExpressions[3].key: Invalid value: "": name part must be non-empty',
    'spec.selector.matchExpressions[3].key: Invalid value: "": name part must consist of alpha',
    'spec.selector.matchExpressions[3].values[0]: Invalid value: "-": a valid label must be an empty',
  ])
  expect(validateLabelSelector({ matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] }, 'f', 'unchecked')).toEqual([])
  expect(validateLabelSelector(undefined, 'f')).toEqual([])
})
