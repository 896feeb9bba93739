/** Assignability of types: unification with type variables, and gradual typing with dyn. */
import { type CelType, DYN, isDyn, isDynOrError, isSameType, parameterOf, unwrapped } from './types.ts'

/** The types to which null is assignable. */
const NULLABLE: ReadonlySet<string> = new Set(['opaque', 'object', 'duration', 'timestamp', 'dyn', 'null', 'wrapper'])

/** The substitutions of one expression's type variables. */
export class Substitutions {
  readonly #types = new Map<string, CelType>()
  /** The substitutions before each change, to undo changes. */
  readonly #before: (readonly [variable: string, type: CelType | undefined])[] = []
  #fresh = 0

  /** Makes a fresh type variable. */
  variable(): CelType {
    return { kind: 'param', name: `_var${this.#fresh++}`, parameters: [] }
  }

  /** Whether values of type `from` are assignable to `to`. New substitutions are kept only if they are. */
  assign(from: CelType, to: CelType): boolean {
    return this.assignAll([from], [to])
  }

  /** Like assign, for several types at once. */
  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    if (from.length !== to.length) return false
    const isGood = from.every((type, i) => this.#isAssignable(type, to[i] ?? DYN))
    if (!isGood) this.#takeBack()
    this.#before.length = 0
    return isGood
  }

  #set(variable: string, type: CelType): void {
    this.#before.push([variable, this.#types.get(variable)])
    this.#types.set(variable, type)
  }

  #takeBack(): void {
    for (const [variable, type] of this.#before.reverse()) {
      if (type === undefined) this.#types.delete(variable)
      else this.#types.set(variable, type)
    }
  }

  /** Returns the type with its variables substituted; unknown variables are kept, or become dyn. */
  resolve(type: CelType, unknown: 'keep' | 'dyn' = 'keep'): CelType {
    if (type.kind === 'param') {
      const known = this.#types.get(type.name)
      if (known !== undefined) return this.resolve(known, unknown)
      return unknown === 'dyn' ? DYN : type
    }
    if (isConcrete(type)) return type
    return { ...type, parameters: type.parameters.map((parameter) => this.resolve(parameter, unknown)) }
  }

  #isAssignable(a: CelType, b: CelType): boolean {
    if (a === b) return true
    if (b.kind === 'param') {
      const substituted = this.#substitute(a, b)
      if (substituted !== 'unknown') return substituted === 'yes'
    }
    if (a.kind === 'param') return this.#substitute(b, a) === 'yes'
    if (isDynOrError(a) || isDynOrError(b)) return true
    if (a.kind === 'null') return NULLABLE.has(b.kind)
    if (b.kind === 'null') return NULLABLE.has(a.kind)
    if (a.kind === 'wrapper' || b.kind === 'wrapper') return isSameType(unwrapped(a), unwrapped(b))
    if (a.kind !== b.kind) return false
    if (a.kind === 'type') return true
    if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false
    return a.parameters.every((parameter, i) => this.#isAssignable(parameter, parameterOf(b, i)))
  }

  /**
   * Whether the variable may stand for the type; `unknown` if the variable had no substitution and must not get this one (it
   * occurs in the type).
   */
  #substitute(type: CelType, variable: CelType): 'yes' | 'no' | 'unknown' {
    if (isSameType(type, variable)) return 'yes'
    const known = this.#types.get(variable.name)
    if (known === undefined) {
      if (this.#refersTo(variable, type)) return 'unknown'
      this.#set(variable.name, type)
      return 'yes'
    }
    if (isSameType(type, known)) return 'yes'
    if (!this.#isAssignable(type, known)) return 'no'
    const general = mostGeneral(type, known)
    if (!this.#refersTo(variable, general)) this.#set(variable.name, general)
    return 'yes'
  }

  /** Whether the variable occurs in the type. */
  #refersTo(variable: CelType, type: CelType): boolean {
    if (isSameType(variable, type)) return true
    if (type.kind === 'param') {
      const known = this.#types.get(type.name)
      return known !== undefined && this.#refersTo(variable, known)
    }
    return type.parameters.some((parameter) => this.#refersTo(variable, parameter))
  }
}

function isConcrete(type: CelType): boolean {
  return type.kind !== 'param' && type.parameters.every(isConcrete)
}

/** Returns the more general of two assignable types. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false
  if (a.kind === 'type') return true
  if (a.name !== b.name || a.parameters.length !== b.parameters.length) return false
  return a.parameters.every((parameter, i) => isEqualOrLessSpecific(parameter, parameterOf(b, i)))
}
