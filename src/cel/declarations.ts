/** Functions as libraries declare them: for the checker their overloads, for evaluation what computes them. */
import type { RegexEngine } from './regex.ts'
import { type CelType, readType, readTypes } from './types.ts'
import type { Value } from './value.ts'

/** What a function may ask besides its arguments. */
export interface FunctionContext {
  readonly regex: RegexEngine
}

/** Computes a function; arguments are of the declared types and never errors, unless the overload is lenient. */
export type Implementation = (args: readonly Value[], context: FunctionContext) => Value

/** One signature of a function. */
export interface Overload {
  /** The name that cost and the reference know it by. */
  readonly id: string
  readonly style: 'global' | 'method'
  /** The types of the arguments, the target first. */
  readonly parameters: readonly CelType[]
  readonly result: CelType
  /** Whether the types name variables, which are fresh for each call. */
  readonly generic: boolean
  /** Undefined where evaluation knows the function by its name, as operators. */
  readonly compute: Implementation | undefined
}

/** A function under its name, with the signatures in the order in which they are tried. */
export interface FunctionDeclaration {
  readonly name: string
  readonly overloads: readonly Overload[]
}

function isGeneric(type: CelType): boolean {
  return type.kind === 'param' || type.parameters.some(isGeneric)
}

type Signature = Pick<Overload, 'parameters' | 'result' | 'generic'>

function signatureOf(parameters: string, result: string): Signature {
  const types = readTypes(parameters)
  const resultType = readType(result)
  return { parameters: types, result: resultType, generic: [...types, resultType].some(isGeneric) }
}

/** An overload that reads the texts of its types when an expression first asks for them: most servers never do. */
class DeclaredOverload implements Overload {
  readonly id: string
  readonly style: Overload['style']
  readonly compute: Implementation | undefined
  readonly #texts: readonly [parameters: string, result: string]
  #signature: Signature | undefined

  constructor(style: Overload['style'], id: string, texts: readonly [string, string], compute: Implementation | undefined) {
    this.style = style
    this.id = id
    this.compute = compute
    this.#texts = texts
  }

  get parameters(): readonly CelType[] {
    return this.#read().parameters
  }

  get result(): CelType {
    return this.#read().result
  }

  get generic(): boolean {
    return this.#read().generic
  }

  #read(): Signature {
    this.#signature ??= signatureOf(...this.#texts)
    return this.#signature
  }
}

/** A signature of a global function: `parameters` and `result` are texts such as `list(T), int`. */
export function global(id: string, parameters: string, result: string, compute?: Implementation): Overload {
  return new DeclaredOverload('global', id, [parameters, result], compute)
}

/** A signature of a function on a target, which is the first of the parameters. */
export function method(id: string, parameters: string, result: string, compute?: Implementation): Overload {
  return new DeclaredOverload('method', id, [parameters, result], compute)
}

/** A function with its signatures. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads }
}
