import { expect, test } from 'vitest'
import type { CustomResourceDefinition, DefinitionNames, DefinitionStatus } from '../../crd/definition.ts'
import { decideNames, type TakenNames } from './names.ts'

const names: DefinitionNames = {
  plural: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  listKind: 'WidgetList',
  shortNames: ['w', 'wg'],
}
const nobody: TakenNames = { resources: new Set(), kinds: new Set() }

function definition(status?: DefinitionStatus): CustomResourceDefinition {
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [] }
  return { metadata: { name: 'widgets.example.com' }, spec, ...(status !== undefined && { status }) }
}

test('names without a conflict are accepted', () => {
  const decision = decideNames(definition(), nobody)
  expect(decision?.acceptedNames).toEqual(names)
  expect(decision?.namesAccepted).toMatchObject({ status: 'True', reason: 'NoConflicts' })
  expect(decision?.established).toMatchObject({ status: 'False', reason: 'Installing' })
})

test('a name conflict refuses the conflicting names only, and all short names together', () => {
  const decision = decideNames(definition(), { resources: new Set(['w', 'wg']), kinds: new Set() })
  const { shortNames: _, ...others } = names
  expect(decision?.acceptedNames).toEqual(others)
  expect(decision?.namesAccepted).toMatchObject({
    status: 'False',
    reason: 'ShortNamesConflict',
    message: '["w" is already in use, "wg" is already in use]',
  })
  expect(decision?.established).toMatchObject({ reason: 'NotAccepted' })
})

test('nothing is decided if all names are accepted already', () => {
  expect(decideNames(definition({ acceptedNames: names, storedVersions: ['v1'] }), nobody)).toBeUndefined()
})
