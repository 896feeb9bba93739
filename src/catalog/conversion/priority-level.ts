/**
 * Changes of PriorityLevelConfigurations. Follows k8s.io/kubernetes/pkg/apis/flowcontrol/{v1beta1,v1beta3}/conversion.go.
 */
import type { JsonObject } from '../../go/json-value.ts'
import { annotationOf, type Changes, objectAt, rename, setAnnotation } from './fields.ts'

/** The annotation of a v1beta3 object whose nominalConcurrencyShares are zero and not absent. */
export const zeroSharesAnnotation = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

const limitedOf = (object: JsonObject): JsonObject | undefined => objectAt(objectAt(object, 'spec'), 'limited')

/** v1alpha1, v1beta1 and v1beta2 call the shares assuredConcurrencyShares. */
export const assuredSharesChanges: Changes = {
  toStorage: (object) => {
    const limited = limitedOf(object)
    if (limited === undefined) return
    rename(limited, 'assuredConcurrencyShares', 'nominalConcurrencyShares')
    limited.nominalConcurrencyShares ??= 0
  },
  fromStorage: (object) => rename(limitedOf(object), 'nominalConcurrencyShares', 'assuredConcurrencyShares'),
}

/** In v1beta3 an annotation distinguishes shares of zero from absent ones. */
export const zeroSharesChanges: Changes = {
  toStorage: (object) => {
    const limited = limitedOf(object)
    if (limited !== undefined) limited.nominalConcurrencyShares ??= 0
    setAnnotation(object, zeroSharesAnnotation, undefined)
  },
  fromStorage: (object) => {
    const isZero = limitedOf(object)?.nominalConcurrencyShares === 0
    if (isZero) setAnnotation(object, zeroSharesAnnotation, annotationOf(object, zeroSharesAnnotation) ?? '')
  },
}
