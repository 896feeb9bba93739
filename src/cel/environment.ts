/** Environments: the variables, types, functions and macros of expressions. */
import type { FunctionDeclaration } from './declarations.ts'
import type { Library } from './library.ts'
import { type Macros, macroKey } from './macro-calls.ts'
import { type CelType, objectType, typeOf } from './types.ts'
import type { Value } from './value.ts'
import { unvaluedType, wellKnown } from './well-known.ts'

/** A type with declared fields. */
export interface ObjectDeclaration {
  readonly name: string
  readonly fields: Pick<ReadonlyMap<string, CelType>, 'get'>
  /** Constructs an object from its fields; undefined if expressions may not construct it. */
  readonly make?: (fields: ReadonlyMap<string, Value>) => Value
}

/** The additions of an environment to its base. */
export interface Declarations {
  readonly variables?: Readonly<Record<string, CelType>>
  readonly objects?: readonly ObjectDeclaration[]
  /** Declares an unlimited set of object types by name. Takes precedence over `objects`. */
  readonly objectNamed?: ObjectsByName
}

/** Returns the declaration of an object type; undefined if the type does not exist. */
export type ObjectsByName = (name: string) => ObjectDeclaration | undefined

const noObjects: ObjectsByName = () => undefined

/** Whether the elements of a literal must have one type, as Kubernetes requires, or may be mixed, as CEL allows. */
export type Literals = 'uniform' | 'mixed'

interface Base {
  readonly libraries: readonly Library[]
  readonly literals: Literals
  readonly functions: ReadonlyMap<string, FunctionDeclaration>
  readonly macros: Macros
  readonly types: ReadonlyMap<string, CelType>
}

/** Merges functions of the same name from several libraries; overloads are tried in the libraries' order. */
function mergeFunctions(libraries: readonly Library[]): ReadonlyMap<string, FunctionDeclaration> {
  const merged = new Map<string, FunctionDeclaration>()
  for (const { name, overloads } of libraries.flatMap((library) => library.functions)) {
    const before = merged.get(name)?.overloads ?? []
    merged.set(name, { name, overloads: [...before, ...overloads] })
  }
  return merged
}

function baseOf(libraries: readonly Library[], literals: Literals): Base {
  const macros = libraries.flatMap((library) => library.macros ?? [])
  const types = libraries.flatMap((library) => library.types ?? [])
  return {
    libraries,
    literals,
    functions: mergeFunctions(libraries),
    macros: new Map(macros.map((macro) => [macroKey(macro.name, macro.argumentCount, macro.style), macro])),
    types: new Map(types.map((type) => [type.name, typeOf(type)])),
  }
}

/** The names that expressions may use. Make one environment for each set of variables and keep it. */
export class Environment {
  readonly #base: Base
  readonly #variables: ReadonlyMap<string, CelType>
  readonly #objects: ReadonlyMap<string, ObjectDeclaration>
  readonly #objectNamed: ObjectsByName

  private constructor(
    base: Base,
    variables: ReadonlyMap<string, CelType>,
    objects: ReadonlyMap<string, ObjectDeclaration>,
    objectNamed: ObjectsByName,
  ) {
    this.#base = base
    this.#variables = variables
    this.#objects = objects
    this.#objectNamed = objectNamed
  }

  /** Makes an environment of these libraries, without variables. */
  static of(libraries: readonly Library[], literals: Literals = 'uniform'): Environment {
    return new Environment(baseOf(libraries, literals), new Map(), new Map(), noObjects)
  }

  /** Returns this environment with more libraries. */
  with(libraries: readonly Library[]): Environment {
    const base = baseOf([...this.#base.libraries, ...libraries], this.#base.literals)
    return new Environment(base, this.#variables, this.#objects, this.#objectNamed)
  }

  /** Returns this environment with more variables and object types. */
  extend({ variables = {}, objects = [], objectNamed = this.#objectNamed }: Declarations): Environment {
    return new Environment(
      this.#base,
      new Map([...this.#variables, ...Object.entries(variables)]),
      new Map([...this.#objects, ...objects.map((object): [string, ObjectDeclaration] => [object.name, object])]),
      objectNamed,
    )
  }

  get macros(): Macros {
    return this.#base.macros
  }

  get literals(): Literals {
    return this.#base.literals
  }

  /** Returns the type of a variable. */
  variable(name: string): CelType | undefined {
    return this.#variables.get(name)
  }

  /** Returns the type that a name denotes, as a type of types. */
  typeNamed(name: string): CelType | undefined {
    const named = this.#base.types.get(name)
    if (named !== undefined) return named
    const unvalued = unvaluedType(name)
    if (unvalued !== undefined) return typeOf(unvalued)
    return this.object(name) === undefined ? undefined : typeOf(objectType(name))
  }

  /** Whether a name denotes a type with a runtime value. */
  isTypeValue(name: string): boolean {
    return this.#base.types.has(name)
  }

  object(name: string): ObjectDeclaration | undefined {
    return wellKnown(name) ?? this.#objectNamed(name) ?? this.#objects.get(name)
  }

  function(name: string): FunctionDeclaration | undefined {
    return this.#base.functions.get(name)
  }
}
