/** CEL expressions that select devices (k8s.io/dynamic-resource-allocation/cel), with the size limits of devices. */
import { compile, type Program } from './compile.ts'
import type { Environment } from './environment.ts'
import { KUBERNETES } from './kubernetes-environment.ts'
import { BINDINGS } from './libraries/bindings.ts'
import type { DeclaredType } from './schema-types.ts'
import { objectsWithin } from './schema-types.ts'
import { ANY, BOOL, mapOf, objectType, STRING, typeText } from './types.ts'
import { CelError } from './value.ts'

const longestDomain = 63
const longestId = 32
const longestDriver = 63
const longestAttribute = 64
const mostEntries = 32

const sized = (type: DeclaredType['type'], maxElements: number): DeclaredType => ({ type, maxElements, minSize: 0 })

const attribute = sized(ANY, longestAttribute)
const quantity = sized(objectType('kubernetes.Quantity'), 0)

/** A map by domain, then by name. */
interface Entries extends DeclaredType {
  readonly key: DeclaredType
  readonly element: DeclaredType
}

const entriesOf = (element: DeclaredType, longestKey: number): Entries => ({
  ...sized(mapOf(STRING, element.type), mostEntries),
  key: sized(STRING, longestKey),
  element,
})

const byName = (element: DeclaredType): Entries => entriesOf(entriesOf(element, longestId), longestDomain)

const device: DeclaredType = {
  ...sized(objectType('kubernetes.DRADevice'), 0),
  fields: new Map([
    ['allowMultipleAllocations', sized(BOOL, 1)],
    ['driver', sized(STRING, longestDriver)],
    ['attributes', byName(attribute)],
    ['capacity', byName(quantity)],
  ]),
}

const isEntries = (declared: DeclaredType): declared is Entries => 'key' in declared

/** Returns the type one step further on a path. Attributes may also be selected as fields. */
function below(declared: DeclaredType, step: string): DeclaredType | undefined {
  if (step === '@items' || step === '@values') return declared.element
  if (step === '@keys') return isEntries(declared) ? declared.key : undefined
  return declared.fields?.get(step) ?? (declared.element === attribute ? attribute : undefined)
}

function sizeAt([variable, ...steps]: readonly string[]): number | undefined {
  if (variable !== 'device') return undefined
  let at: DeclaredType | undefined = device
  for (const step of steps) at = at === undefined ? undefined : below(at, step)
  return at?.maxElements
}

let environment: Environment | undefined

function deviceEnvironment(): Environment {
  environment ??= KUBERNETES.with([BINDINGS]).extend({ variables: { device: device.type }, objects: objectsWithin(device) })
  return environment
}

/** A selector with its maximum cost, or its error; `internal` if the server is wrong. */
export type DeviceSelectorExpression =
  | { readonly kind: 'program'; readonly program: Program; readonly maximumCost: number }
  | { readonly kind: 'invalid' | 'internal'; readonly text: string }

/** Compiles a device selector: its type must be bool, or an attribute that may be one. */
export function compileDeviceSelector(text: string): DeviceSelectorExpression {
  const compiled = compile(text, deviceEnvironment())
  if (compiled.kind === 'issues') return { kind: 'invalid', text: `compilation failed: ${compiled.text}` }
  const { expression } = compiled
  if (expression.type !== BOOL && expression.type !== ANY) {
    return { kind: 'invalid', text: `must evaluate to bool or the unknown type, not ${typeText(expression.type)}` }
  }
  const program = expression.plan()
  if (program instanceof CelError) return { kind: 'internal', text: `program instantiation failed: ${program.message}` }
  return { kind: 'program', program, maximumCost: expression.estimateCost(sizeAt).max }
}
