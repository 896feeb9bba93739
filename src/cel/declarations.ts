/** Function declarations of libraries: overloads for the checker, implementations for evaluation. */
import type { RegexEngine } from './regex.ts'
import { type CelType, readType, readTypes } from './types.ts'
import type { Value } from './value.ts'

/** The dependencies of a function besides its arguments. */
export interface FunctionContext {
  readonly regex: RegexEngine
}

/** Computes a function. Arguments have the declared types and are never errors, unless the overload is lenient. */
export type Implementation = (args: readonly Value[], context: FunctionContext) => Value

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

function overload(style: Overload['style'], id: string, parameters: string, result: string, compute?: Implementation): Overload {
  const types = readTypes(parameters)
  const resultType = readType(result)
  return { id, style, parameters: types, result: resultType, generic: [...types, resultType].some(isGeneric), compute }
}

/** Declares an overload of a global function: `parameters` and `result` are texts such as `list(T), int`. */
export function global(id: string, parameters: string, result: string, compute?: Implementation): Overload {
  return overload('global', id, parameters, result, compute)
}

/** Declares an overload of a method; its target is the first of the parameters. */
export function method(id: string, parameters: string, result: string, compute?: Implementation): Overload {
  return overload('method', id, parameters, result, compute)
}

/** Declares a function with its overloads. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads }
}
