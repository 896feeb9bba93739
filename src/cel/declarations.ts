/** Function declarations of libraries: overloads for the checker, implementations for evaluation. */
import { type CelType, readType, readTypes } from './types.ts'
import type { Value } from './value.ts'

/** Computes a function. Arguments have the declared types and are never errors, unless the overload is lenient. */
export type Implementation = (args: readonly Value[]) => Value

/** One signature of a function. */
export interface Overload {
  /** The overload ID, by which cost and cel-go identify it. */
  readonly id: string
  readonly style: 'global' | 'method'
  /** The types of the arguments, the target first. */
  readonly parameters: readonly CelType[]
  readonly result: CelType
  /** Whether the types contain type variables, which are fresh for each call. */
  readonly generic: boolean
  /** Undefined if evaluation implements the function by its name, as for operators. */
  readonly compute: Implementation | undefined
}

/** A function with its overloads in the order in which they are tried. */
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

/** An overload that parses its types on first use: most servers never need them. */
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

/** Declares an overload of a global function: `parameters` and `result` are texts such as `list(T), int`. */
export function global(id: string, parameters: string, result: string, compute?: Implementation): Overload {
  return new DeclaredOverload('global', id, [parameters, result], compute)
}

/** Declares an overload of a method; its target is the first of the parameters. */
export function method(id: string, parameters: string, result: string, compute?: Implementation): Overload {
  return new DeclaredOverload('method', id, [parameters, result], compute)
}

/** Declares a function with its overloads. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads }
}
