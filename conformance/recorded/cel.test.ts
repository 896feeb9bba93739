import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compile } from '../../src/cel/compile.ts'
import type { Environment } from '../../src/cel/environment.ts'
import { goDouble, timestampText } from '../../src/cel/format-value.ts'
import { KUBERNETES } from '../../src/cel/kubernetes-environment.ts'
import type { StructuralSchema } from '../../src/cel/schema.ts'
import { declaredType, objectsWithin, sizesWithin } from '../../src/cel/schema-types.ts'
import { schemaReader } from '../../src/cel/schema-values.ts'
import {
  CelError,
  Double,
  Duration,
  ListValue,
  MapValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from '../../src/cel/value.ts'
import type { JsonValue } from '../../src/go/json-value.ts'
import { readLines } from '../lines.ts'

/** The variables of the expressions. */
interface Context {
  readonly schema?: StructuralSchema
  readonly self?: JsonValue
  readonly oldSelf?: JsonValue
}

/** The result of cel-go for an expression, with the libraries and limits of kube-apiserver 1.36. */
interface Recorded {
  readonly expression: string
  readonly context: number
  readonly issues?: string
  readonly program?: string
  readonly min?: number
  readonly max?: number
  readonly cost?: number
  readonly value?: string
  readonly error?: string
}

const lines = readLines<Recorded | { readonly contexts: readonly Context[] }>(join(import.meta.dirname, 'cel.jsonl'))
const contexts = lines.flatMap((line) => ('contexts' in line ? line.contexts : []))
const recorded = lines.flatMap((line) => ('contexts' in line ? [] : [line]))

/** Serializes a text as JSON with Go's escapes. */
const quoted = (text: string): string => JSON.stringify(text).replace(/[&<>]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)

/** Formats a value as in the recording. */
function written(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return quoted(value)
  if (value instanceof Uint8Array) return `b'${Array.from(value, (byte) => byte.toString(16).padStart(2, '0')).join('')}'`
  if (value instanceof Uint) return `${value.value}u`
  if (value instanceof Double) return `${goDouble(value.value)}d`
  if (value instanceof Timestamp) return `ts ${timestampText(new Timestamp(value.seconds, value.nanoseconds))}`
  if (value instanceof Duration) return `dur ${value.nanoseconds}`
  if (value instanceof OptionalValue) return value.value === undefined ? 'none' : `opt(${written(value.value)})`
  if (value instanceof ListValue) return `[${value.elements.map(written).join(',')}]`
  if (value instanceof MapValue) {
    const entries = value.keys().map((key) => `${written(key)}:${written(value.find(key) ?? null)}`)
    return `{${entries.sort().join(',')}}`
  }
  if (value instanceof TypeValue) return `type ${value.name}`
  return typeof value === 'object' && 'typeName' in value ? `${value.typeName}:${value.show()}` : String(value)
}

interface Prepared {
  readonly environment: Environment
  readonly sizes: (path: readonly string[]) => number | undefined
  readonly variables: Readonly<Record<string, Value>>
}

function prepared({ schema, self, oldSelf }: Context): Prepared {
  const declared = schema === undefined ? undefined : declaredType(schema, 'selfType', 'part')
  if (schema === undefined || declared === undefined) return { environment: KUBERNETES, sizes: () => undefined, variables: {} }
  const { type } = declared
  const read = schemaReader(schema, 'part')
  return {
    environment: KUBERNETES.extend({ variables: { self: type, oldSelf: type }, objects: objectsWithin(declared) }),
    sizes: sizesWithin(declared),
    variables: {
      ...(self === undefined ? {} : { self: read(self) }),
      ...(oldSelf === undefined ? {} : { oldSelf: read(oldSelf) }),
    },
  }
}

const preparations = contexts.map(prepared)

/** Returns our result for a recorded expression. */
function ours({ expression, context, max }: Recorded): Recorded {
  const { environment, sizes, variables } = preparations[context] ?? prepared({})
  const compiled = compile(expression, environment)
  if (compiled.kind === 'issues') return { expression, context, issues: compiled.text }
  const estimate = compiled.expression.estimateCost(sizes)
  const known = { expression, context, min: estimate.min, ...(max === undefined ? {} : { max: estimate.max }) }
  const program = compiled.expression.plan()
  if (program instanceof CelError) return { ...known, program: program.message }
  const { value, cost } = program.evaluate(variables, 1_000_000)
  return value instanceof CelError ? { ...known, cost, error: value.message } : { ...known, cost, value: written(value) }
}

/** Expressions with a known different result, each with its reason. Remove those that no longer differ. */
const LEDGER: Readonly<Record<string, string>> = {
  "'abc'.matches(dyn('(?P<n>a)(?P<n>b)'))": 're2js allows a name of a group once',
  "{[1]: 'a'}": 'lists are no keys',
  "{dyn([1]): 'a'}": 'lists are no keys',
  "double('0x1p-2')": 'doubles are not written in hexadecimal digits',
  timestamp: 'recorded beside no schema, whose types have this name',
  "'%s-%d'.format([[self.s, self.t].distinct()[[1, self.j, 3].max()], self.set.map(y, size(y)).sum()])":
    'a failed index costs a unit whatever it is of',
}

const differs = (each: Recorded): boolean => {
  const own = ours(each)
  return (['issues', 'program', 'min', 'max', 'cost', 'value', 'error'] as const).some((part) => own[part] !== each[part])
}

test('CEL expressions have the values, errors, costs and cost estimates of the reference, except those in the ledger', () => {
  const different = recorded.filter(differs).map(({ expression }) => expression)
  const known = recorded.map(({ expression }) => expression).filter((expression) => expression in LEDGER)
  expect(different).toEqual(known)
})

test('the recording is complete', () => {
  expect(recorded.length).toBeGreaterThan(1500)
  expect(Object.keys(LEDGER).length).toBeLessThan(recorded.length / 50)
})
