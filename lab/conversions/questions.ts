/** Objects to convert: generated ones of every version that is not served by default, and of the versions that are stored. */
import fc from 'fast-check'
import type { Kind } from '../../src/catalog/kind.ts'
import { kindOf, unservedKinds } from '../../src/catalog/scheme.ts'
import { stringify } from '../../src/go/json.ts'
import { isObject } from '../../src/go/json-object.ts'
import type { JsonObject, JsonValue } from '../../src/go/json-value.ts'
import { arbitraryOf } from '../../src/schema/arbitrary.fixture.ts'
import { special } from './special.ts'

/** The program that answers. `old` contains versions that 1.36 no longer has. */
export type Oracle = 'current' | 'old'

/** An object and the apiVersions in which it is wanted, each made from the one before it. */
export interface Question {
  /** The version that is not served by default: `apps/v1beta1/deployments`. */
  readonly version: string
  readonly direction: 'toStorage' | 'fromStorage'
  readonly oracle: Oracle
  readonly object: string
  /** Whether the object was chosen and not generated. */
  readonly isSpecial: boolean
  readonly through: readonly string[]
}

/** Versions that only the older program knows. */
const old: ReadonlySet<string> = new Set([
  'autoscaling/v2beta1/horizontalpodautoscalers',
  'autoscaling/v2beta2/horizontalpodautoscalers',
  'scheduling.k8s.io/v1alpha1/priorityclasses',
])

/** Versions that no release had together with the version in which their objects are stored. */
const withoutOracle: ReadonlySet<string> = new Set([
  'batch/v2alpha1/cronjobs',
  'certificates.k8s.io/v1alpha1/podcertificaterequests',
  'coordination.k8s.io/v1alpha1/leasecandidates',
  'discovery.k8s.io/v1alpha1/endpointslices',
  'extensions/v1beta1/podsecuritypolicies',
  'flowcontrol.apiserver.k8s.io/v1alpha1/flowschemas',
  'flowcontrol.apiserver.k8s.io/v1alpha1/prioritylevelconfigurations',
  'networking.k8s.io/v1alpha1/ipaddresses',
  'networking.k8s.io/v1alpha1/servicecidrs',
  'resource.k8s.io/v1alpha3/deviceclasses',
  'resource.k8s.io/v1alpha3/resourceclaims',
  'resource.k8s.io/v1alpha3/resourceclaimtemplates',
  'resource.k8s.io/v1alpha3/resourceslices',
  'storagemigration.k8s.io/v1alpha1/storageversionmigrations',
])

/** Returns the kind of the version in which objects of a kind are stored. */
export function storedKind({ storage: { group, version, resource } }: Kind): Kind {
  const kind = kindOf(group, version, resource)
  if (kind === undefined) throw new Error(`no kind of ${resource}`)
  return kind
}

/** The fields that the older program does not know, or loses. */
const unknownToOld: ReadonlySet<string> = new Set(['containerResource', 'tolerance'])

function without(value: JsonValue, names: ReadonlySet<string>): JsonValue {
  if (Array.isArray(value)) return value.map((element) => without(element, names))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([name]) => !names.has(name))
  return Object.fromEntries(kept.map(([name, member]) => [name, without(member ?? null, names)]))
}

/** Returns the text of an object with its kind and a name. */
function textOf(kind: Kind, oracle: Oracle, value: JsonValue): string {
  const { metadata, ...fields } = value as JsonObject
  const typeMeta = { apiVersion: kind.apiVersion, kind: kind.kind }
  const object: JsonObject = { ...fields, ...typeMeta, metadata: { ...(metadata as JsonObject | undefined), name: 'x' } }
  return stringify(oracle === 'old' ? without(object, unknownToOld) : object)
}

/** Generates objects of a kind. */
function objectsOf(kind: Kind, oracle: Oracle, count: number, seed: number): string[] {
  const values = fc.sample(arbitraryOf(kind.type), { numRuns: count, seed })
  return values.map((value) => textOf(kind, oracle, value))
}

/** Returns the questions about every version that has an oracle: special objects, and `count` objects for each direction. */
export function generatedQuestions(count: number, seed: number): Question[] {
  return [...unservedKinds()].flatMap((kind) => {
    const version = `${kind.group}/${kind.version}/${kind.resource}`
    if (kind.conversion === undefined || withoutOracle.has(version)) return []
    const stored = storedKind(kind)
    const oracle = old.has(version) ? 'old' : 'current'
    const chosen = [{}, ...(special[version] ?? [])].map((value) => textOf(kind, oracle, value))
    const there = [...chosen, ...objectsOf(kind, oracle, count, seed)].map(
      (object, index): Question => ({
        ...{ version, direction: 'toStorage', oracle, object, isSpecial: index < chosen.length },
        through: [stored.apiVersion, stored.apiVersion, kind.apiVersion],
      }),
    )
    const back = objectsOf(stored, oracle, count, seed).map(
      (object): Question => ({ version, direction: 'fromStorage', oracle, object, isSpecial: false, through: [kind.apiVersion] }),
    )
    return [...there, ...back]
  })
}
