/** Converts the cases of @bufbuild/cel-spec. */
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js'
import { ArrayList, EntryMap } from './collections.ts'
import { Environment } from './environment.ts'
import { BINDINGS } from './libraries/bindings.ts'
import { COMPREHENSIONS } from './libraries/comprehensions.ts'
import { ENCODERS } from './libraries/encoders.ts'
import { MATH } from './libraries/math.ts'
import { OPTIONALS } from './libraries/optionals.ts'
import { STANDARD } from './libraries/standard.ts'
import { STRINGS } from './libraries/strings.ts'
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  TYPE,
  typeOf,
  typeParameter,
  UINT,
} from './types.ts'
import { CelError, Double, intOf, TypeValue, Uint, type Value } from './value.ts'

interface JsonType {
  readonly primitive?: string
  readonly wellKnown?: string
  readonly dyn?: unknown
  readonly null?: null
  readonly listType?: { readonly elemType?: JsonType }
  readonly mapType?: { readonly keyType?: JsonType; readonly valueType?: JsonType }
  readonly abstractType?: { readonly name?: string; readonly parameterTypes?: readonly JsonType[] }
  readonly typeParam?: string
  readonly type?: JsonType
  readonly function?: unknown
}

interface JsonResult {
  readonly nullValue?: null
  readonly boolValue?: boolean
  readonly int64Value?: string
  readonly uint64Value?: string
  readonly doubleValue?: number | string
  readonly stringValue?: string
  readonly bytesValue?: string
  readonly typeValue?: string
  readonly listValue?: { readonly values?: readonly JsonResult[] }
  readonly mapValue?: { readonly entries?: readonly { readonly key: JsonResult; readonly value: JsonResult }[] }
}

interface Original {
  readonly name?: string
  readonly expr: string
  readonly value?: JsonResult
  readonly typedResult?: { readonly result?: JsonResult; readonly deducedType?: JsonType }
  readonly evalError?: unknown
  readonly disableCheck?: boolean
  readonly checkOnly?: boolean
  readonly typeEnv?: readonly { readonly name: string; readonly ident?: { readonly type: JsonType } }[]
  readonly bindings?: Readonly<Record<string, { readonly value: JsonResult }>>
}

/** One case. */
export interface ConformanceCase {
  readonly name: string
  readonly expression: string
  readonly environment: Environment
  readonly variables: Readonly<Record<string, Value>>
  /** The expected value; 'error' if any error is expected; 'unasked' if only the type is checked. */
  readonly value: Value | 'error' | 'unasked'
  readonly type: CelType | undefined
}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL,
  INT64: INT,
  UINT64: UINT,
  DOUBLE,
  STRING,
  BYTES,
}

function typeFrom(json: JsonType): CelType {
  if (json.primitive !== undefined) return PRIMITIVES[json.primitive] ?? DYN
  if (json.wellKnown !== undefined)
    return json.wellKnown === 'TIMESTAMP' ? TIMESTAMP : json.wellKnown === 'DURATION' ? DURATION : DYN
  if (json.listType !== undefined) return listOf(typeFrom(json.listType.elemType ?? {}))
  if (json.mapType !== undefined) return mapOf(typeFrom(json.mapType.keyType ?? {}), typeFrom(json.mapType.valueType ?? {}))
  if (json.null !== undefined) return NULL
  if (json.typeParam !== undefined) return typeParameter(json.typeParam)
  if (json.abstractType !== undefined) return optionalOf(typeFrom(json.abstractType.parameterTypes?.[0] ?? {}))
  if (json.type !== undefined) return Object.keys(json.type).length === 0 ? TYPE : typeOf(typeFrom(json.type))
  return DYN
}

function valueFrom(json: JsonResult): Value {
  if (json.boolValue !== undefined) return json.boolValue
  if (json.int64Value !== undefined) return intOf(BigInt(json.int64Value))
  if (json.uint64Value !== undefined) return new Uint(BigInt(json.uint64Value))
  if (json.doubleValue !== undefined) return new Double(Number(json.doubleValue))
  if (json.stringValue !== undefined) return json.stringValue
  if (json.bytesValue !== undefined) return Uint8Array.from(atob(json.bytesValue), (character) => character.charCodeAt(0))
  if (json.typeValue !== undefined) return new TypeValue(json.typeValue)
  if (json.listValue !== undefined) return new ArrayList((json.listValue.values ?? []).map(valueFrom))
  if (json.mapValue === undefined) return null
  const map = EntryMap.of(
    (json.mapValue.entries ?? []).map(({ key, value }): [Value, Value] => [valueFrom(key), valueFrom(value)]),
  )
  return map instanceof CelError ? null : map
}

/** Features that Kubernetes does not have: protobuf messages, containers, functions of the caller, unchecked expressions. */
const FOREIGN =
  /TestAllTypes|messageType|"@type"|objectValue|enumValue|"container"|"function"|"disableCheck"|"wrapper"|google\.protobuf\.(?!Timestamp\b|Duration\b)|proto\.(?:has|get)Ext|cel\.(?:block|index|iterVar|accuVar)/

const SUITES: ReadonlySet<string> = new Set(['block_ext', 'proto2_ext', 'enums', 'proto2', 'proto3'])

/** Cases of format() for version 4 of the strings library; Kubernetes uses version 2. */
const LATER_FORMATS =
  /^(?:default precision for |scientific notation|NaN support|(?:positive|negative) infinity|list support for string$|map support|dyntype (?:support for (?:sci|lists|maps)|NaN))/

const isApplicable = (original: Original): boolean =>
  !FOREIGN.test(JSON.stringify(original)) && !original.expr.includes('`') && !LATER_FORMATS.test(original.name ?? '')

const base = Environment.of([STANDARD, OPTIONALS, STRINGS, COMPREHENSIONS, MATH, ENCODERS, BINDINGS], 'mixed')

function caseOf(name: string, original: Original): ConformanceCase {
  const { expr, value, typedResult, evalError, typeEnv = [], bindings = {}, checkOnly } = original
  const variables = Object.fromEntries(typeEnv.map((variable) => [variable.name, typeFrom(variable.ident?.type ?? {})]))
  const expected = value ?? typedResult?.result
  const deduced = typedResult?.deducedType
  return {
    name,
    expression: expr,
    environment: base.extend({ variables }),
    variables: Object.fromEntries(Object.entries(bindings).map(([variable, bound]) => [variable, valueFrom(bound.value)])),
    value:
      evalError !== undefined ? 'error' : checkOnly === true ? 'unasked' : expected === undefined ? true : valueFrom(expected),
    type: deduced === undefined ? undefined : typeFrom(deduced),
  }
}

type Suite = typeof tests

function casesOf(suite: Suite, path: readonly string[]): readonly ConformanceCase[] {
  const own = (suite.tests ?? [])
    .map(({ original }) => original as unknown as Original)
    .filter(isApplicable)
    .map((original) => caseOf([...path, original.name ?? original.expr].join(' / '), original))
  return [...own, ...(suite.suites ?? []).flatMap((inner) => casesOf(inner, [...path, inner.name]))]
}

/** All cases that apply to Kubernetes. */
export const CASES: readonly ConformanceCase[] = (tests.suites ?? [])
  .filter(({ name }) => !SUITES.has(name))
  .flatMap((suite) => casesOf(suite, [suite.name]))
