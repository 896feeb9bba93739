import { expect, test } from 'vitest'
import { authoredDescriptionOf, descriptionOf } from './describe.ts'

test('descriptions of types and fields, with their line breaks', () => {
  expect(descriptionOf('core/v1.Pod')).toMatch(/^Pod is a collection of containers/)
  expect(descriptionOf('meta/v1.ObjectMeta', 'name')).toMatch(/^Name must be unique within a namespace\. .*#names$/)
  expect(descriptionOf('meta/v1.ObjectMeta', 'creationTimestamp')).toContain('and is in UTC.\n\nPopulated by the system.')
})

test('the escapes of the package are removed', () => {
  expect(descriptionOf('rbac/v1.PolicyRule', 'resources')).toContain("'*'")
  expect(descriptionOf('core/v1.Endpoints')).not.toContain('@deprecated')
})

test('authoredDescriptionOf omits the values of an enumeration', () => {
  const described = descriptionOf('core/v1.Container', 'imagePullPolicy')
  expect(described).toContain('\n\nPossible enum values:\n - `"Always"`')
  expect(described.startsWith(`${authoredDescriptionOf('core/v1.Container', 'imagePullPolicy')}\n\nPossible`)).toBe(true)
})

test('apiVersion and kind have descriptions in every object', () => {
  expect(descriptionOf('apps/v1.Deployment', 'kind')).toMatch(/^Kind is a string value representing the REST resource/)
  expect(descriptionOf('core/v1.ObjectReference', 'kind')).toMatch(/^Kind of the referent/)
})

test('versions that are not served by default have texts of their own, and those of newer versions', () => {
  expect(descriptionOf('extensions/v1beta1.IngressSpec', 'backend')).toMatch(/^A default backend capable of servicing requests/)
  expect(descriptionOf('apps/v1beta2.DeploymentSpec', 'replicas')).toBe(descriptionOf('apps/v1.DeploymentSpec', 'replicas'))
  expect(descriptionOf('resource/v1beta2.DeviceRequest', 'name')).toBe(descriptionOf('resource/v1.DeviceRequest', 'name'))
  expect(descriptionOf('settings/v1alpha1.PodPreset')).toBe('')
})

test('an unknown type or field has no description', () => {
  expect(descriptionOf('core/v1.Pod', 'colour')).toBe('')
  expect(descriptionOf('core/v1.Colour')).toBe('')
  expect(descriptionOf('colour/v1.Red')).toBe('')
})
