/** Reads configuration documents against their schemas. */
import { type SchemaError, type SchemaName, schemaErrors } from './schema-errors.ts'

/** An error in a configuration, with the path of the field; '' for the whole document. */
export class ConfigurationError extends Error {
  readonly path: string
  /** Whether the schema has no such field. */
  readonly isOfUnknownField: boolean

  constructor(path: string, problem: string, isOfUnknownField = false) {
    super(problem)
    this.path = path
    this.isOfUnknownField = isOfUnknownField
  }
}

/** Makes a ConfigurationError. The problem continues the path: "jwt[0].issuer is required". */
export const configurationError = (path: string, problem: string): ConfigurationError => new ConfigurationError(path, problem)

/** Converts a JSON pointer: `/jwt/0/issuer` to `jwt[0].issuer`. */
function pathOf(pointer: string): string {
  const parts = pointer.split('/').slice(1)
  const text = parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part.replaceAll('~1', '/').replaceAll('~0', '~')}`))
  return text.join('').replace(/^\./, '')
}

const typeNames: Readonly<Record<string, string>> = { array: 'a list', object: 'an object', boolean: 'true or false' }

function typeProblem(type: unknown): string {
  const [first] = Array.isArray(type) ? type : [type]
  return `must be ${typeNames[String(first)] ?? `a ${String(first)}`}`
}

const choices = (values: readonly unknown[]): string =>
  `must be ${values
    .filter((value) => value !== '')
    .map((value) => JSON.stringify(value))
    .join(' or ')}`

/** Returns the problem for a violated keyword; `field` is the name of the affected field, if it is below the path. */
const problems: Readonly<
  Record<string, (params: SchemaError['params']) => { readonly field?: unknown; readonly problem: string }>
> = {
  additionalProperties: ({ additionalProperty }) => ({ field: additionalProperty, problem: 'is not supported' }),
  required: ({ missingProperty }) => ({ field: missingProperty, problem: 'is required' }),
  type: ({ type }) => ({ problem: typeProblem(type) }),
  enum: ({ allowedValues }) => ({ problem: choices(allowedValues as readonly unknown[]) }),
  const: ({ allowedValue }) => ({ problem: choices([allowedValue]) }),
  minLength: () => ({ problem: 'is required, it must not be empty' }),
  minItems: () => ({ problem: 'is required, it must not be empty' }),
  maxItems: ({ limit }) => ({ problem: `must have at most ${String(limit)} items` }),
}

/**
 * Validates a document against its schema.
 * @throws ConfigurationError for the first invalid field
 */
export function requireSchema(schema: SchemaName, value: unknown): void {
  const [error] = schemaErrors(schema, value)
  if (error === undefined) return
  const path = pathOf(error.instancePath)
  const { field, problem } = problems[error.keyword]?.(error.params) ?? { problem: 'is not valid' }
  const whole = field === undefined ? path : `${path}.${String(field)}`.replace(/^\./, '')
  throw new ConfigurationError(whole, problem, error.keyword === 'additionalProperties')
}

/**
 * Reads a configuration of apiserver.config.k8s.io from JSON.
 * @param kind the kind, for errors
 * @param schema a schema that matches the type `Raw`
 * @param read converts the validated document
 * @throws Error that names the kind and the field
 */
export function readConfiguration<Raw, T>(json: string, kind: string, schema: SchemaName, read: (raw: Raw) => T): T {
  const named = (path: string, problem: string): Error => new Error(`the ${kind}${path && `: ${path}`} ${problem}`)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    throw named('', `is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
  try {
    requireSchema(schema, value)
    return read(value as Raw)
  } catch (error) {
    throw error instanceof ConfigurationError ? named(error.path, error.message) : error
  }
}
