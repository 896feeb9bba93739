import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { kindOf, unservedKinds } from '../scheme.ts'
import { storedObjects } from '../stored-objects.fixture.ts'

/** Versions without a place for some values of the storage version, in kube-apiserver too. */
const lossy: ReadonlySet<string> = new Set([
  // They lack fields.
  'autoscaling/v2beta1/horizontalpodautoscalers',
  'autoscaling/v2beta2/horizontalpodautoscalers',
  'batch/v2alpha1/cronjobs',
  'certificates.k8s.io/v1alpha1/podcertificaterequests',
  'discovery.k8s.io/v1alpha1/endpointslices',
  'flowcontrol.apiserver.k8s.io/v1alpha1/prioritylevelconfigurations',
  'resource.k8s.io/v1alpha3/deviceclasses',
  'resource.k8s.io/v1alpha3/resourceclaims',
  'resource.k8s.io/v1alpha3/resourceclaimtemplates',
  'resource.k8s.io/v1alpha3/resourceslices',
  'storagemigration.k8s.io/v1alpha1/storageversionmigrations',
  // They change values that are invalid or mean the same as another one.
  'apiextensions.k8s.io/v1beta1/customresourcedefinitions',
  'discovery.k8s.io/v1beta1/endpointslices',
  'extensions/v1beta1/ingresses',
  'networking.k8s.io/v1beta1/ingresses',
  'policy/v1beta1/poddisruptionbudgets',
  'rbac.authorization.k8s.io/v1alpha1/clusterrolebindings',
  'rbac.authorization.k8s.io/v1alpha1/rolebindings',
  'resource.k8s.io/v1beta1/resourceslices',
])

const converted = [...unservedKinds()].flatMap((kind) => {
  const { conversion, storage } = kind
  const stored = kindOf(storage.group, storage.version, storage.resource)
  const name = `${kind.group}/${kind.version}/${kind.resource}`
  return conversion === undefined || stored === undefined ? [] : [[name, { kind, stored, conversion }] as const]
})

const options = { numRuns: 10, seed: 7 }

describe('conversions', () => {
  test.each(converted)('%s: a stored object is the same after another round', (_name, { kind, conversion }) => {
    const property = fc.property(storedObjects(kind), (object) => {
      const stored = conversion.toStorage(object)
      expect(conversion.toStorage(conversion.fromStorage(stored))).toEqual(stored)
    })
    fc.assert(property, options)
  })

  test.each(converted.filter(([name]) => !lossy.has(name)))('%s: nothing of a stored object is lost', (_name, parts) => {
    const { stored, conversion } = parts
    const property = fc.property(storedObjects(stored), (object) => {
      expect(conversion.toStorage(conversion.fromStorage(object))).toEqual(object)
    })
    fc.assert(property, options)
  })
})
