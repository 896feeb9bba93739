/** The type checker: gives every node its type and every call its overloads, or reports errors (CEL's gradual type checking). */
import { mostGeneral, Substitutions } from './assignable.ts'
import {
  type Call,
  type Comprehension,
  childrenOf,
  type Expression,
  type Identifier,
  type ListLiteral,
  type MapLiteral,
  plainName,
  qualifiedName,
  type Select,
  type StructLiteral,
} from './ast.ts'
import type { FunctionDeclaration, Overload } from './declarations.ts'
import type { Environment } from './environment.ts'
import { literalType } from './literal-types.ts'
import type { Issues } from './source.ts'
import {
  BOOL,
  type CelType,
  DYN,
  ERROR,
  formatSignature,
  formatType,
  INT,
  isDyn,
  isDynOrError,
  isSameType,
  listOf,
  mapOf,
  optionalElement,
  optionalOf,
  parameterOf,
  STRING,
} from './types.ts'
import { TypeValue, type Value } from './value.ts'
import { enumValue } from './well-known.ts'

/** The variables of enclosing comprehensions, innermost first. */
interface Scope {
  readonly names: ReadonlyMap<string, CelType>
  readonly outer: Scope | undefined
}

interface Resolution {
  readonly type: CelType
  readonly overloads: readonly Overload[]
}

/** Returns the name under which a message's fields are declared: its type's name, if several names denote the type. */
const messageOf = ({ kind, name }: CelType, named: string): string => (kind === 'timestamp' || kind === 'duration' ? name : named)

const typeOfNode = (node: Expression): CelType => node.type ?? ERROR

class Checker {
  readonly #environment: Environment
  readonly #issues: Issues
  readonly #types = new Substitutions()
  #scope: Scope | undefined

  constructor(environment: Environment, issues: Issues) {
    this.#environment = environment
    this.#issues = issues
  }

  /** Replaces the remaining type variables by dyn. */
  finish(node: Expression): void {
    if (node.type !== undefined) node.type = this.#types.resolve(node.type, 'dyn')
    for (const child of childrenOf(node)) this.finish(child)
  }

  check(node: Expression): void {
    node.type = this.#typeOf(node)
  }

  #typeOf(node: Expression): CelType {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value)
      case 'identifier':
        return this.#identifier(node)
      case 'select':
        return this.#select(node)
      case 'call':
        return this.#call(node)
      case 'list':
        return this.#list(node)
      case 'map':
        return this.#map(node)
      case 'struct':
        return this.#struct(node)
      case 'comprehension':
        return this.#comprehension(node)
      case 'unreadable':
        return ERROR
    }
  }

  #undeclared(offset: number, name: string): CelType {
    this.#issues.report(offset, `undeclared reference to '${name}' (in container '')`)
    return ERROR
  }

  #mismatch(offset: number, expected: CelType, actual: CelType): void {
    this.#issues.report(offset, `expected type '${formatType(expected)}' but found '${formatType(actual)}'`)
  }

  /**
   * Resolves a name to its type, and to its value if it names a type with a runtime value, which declared object types do not
   * have. A leading dot excludes the enclosing variables.
   */
  #lookup(dotted: string): { readonly name: string; readonly type: CelType; readonly constant?: Value } | undefined {
    const name = plainName(dotted)
    for (let scope = this.#scope; scope !== undefined; scope = scope.outer) {
      const local = scope.names.get(name)
      if (local !== undefined) return { name, type: local }
    }
    const variable = this.#environment.variable(name)
    if (variable !== undefined) return { name, type: variable }
    const type = this.#environment.typeNamed(name)
    if (type !== undefined)
      return this.#environment.isTypeValue(name) ? { name, type, constant: new TypeValue(name) } : { name, type }
    const member = enumValue(name)
    return member === undefined ? undefined : { name, type: INT, constant: member }
  }

  #identifier(node: Identifier): CelType {
    const found = this.#lookup(node.name)
    if (found === undefined) return this.#undeclared(node.offset, node.name)
    if (found.constant !== undefined) node.constant = found.constant
    return found.type
  }

  #select(node: Select): CelType {
    const name = qualifiedName(node)
    const found = name === undefined ? undefined : this.#lookup(name)
    if (found !== undefined) {
      const constant = found.constant === undefined ? {} : { constant: found.constant }
      node.reference = { kind: 'identifier', offset: node.offset, name: found.name, type: found.type, ...constant }
      return found.type
    }
    const type = this.#field(node.offset, node.operand, node.field, 'plain')
    return node.test ? BOOL : this.#types.resolve(type)
  }

  /** Returns the type of a field; selecting from an optional value, or optionally, gives an optional type. */
  #field(offset: number, operand: Expression, field: string, how: 'plain' | 'optional'): CelType {
    this.check(operand)
    const operandType = this.#types.resolve(typeOfNode(operand))
    const element = optionalElement(operandType)
    const type = this.#fieldOf(offset, element ?? operandType, field)
    return how === 'optional' || element !== undefined ? optionalOf(type) : type
  }

  #fieldOf(offset: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return parameterOf(target, 1)
      case 'object':
        return this.#declaredField(offset, target.name, field)
      case 'param':
        this.#types.assign(DYN, target)
        return DYN
      default:
        if (!isDynOrError(target)) this.#issues.report(offset, `type '${formatType(target)}' does not support field selection`)
        return DYN
    }
  }

  #declaredField(offset: number, typeName: string, field: string): CelType {
    const object = this.#environment.object(typeName)
    if (object === undefined) {
      this.#issues.report(offset, `unexpected failed resolution of '${typeName}'`)
      return ERROR
    }
    const type = object.fields.get(field)
    if (type === undefined) this.#issues.report(offset, `undefined field '${field}'`)
    return type ?? ERROR
  }

  #call(node: Call): CelType {
    if (node.name === '_?._') return this.#optionalSelect(node)
    for (const argument of node.arguments) this.check(argument)
    const namespaced = node.target === undefined ? undefined : this.#namespaced(node, node.target)
    if (namespaced !== undefined) {
      node.name = namespaced.name
      node.target = undefined
      return this.#resolved(node, namespaced)
    }
    if (node.target !== undefined) this.check(node.target)
    const name = node.target === undefined ? plainName(node.name) : node.name
    const declaration = this.#environment.function(name)
    if (declaration === undefined) return this.#undeclared(node.offset, node.name)
    node.name = name
    return this.#resolved(node, declaration)
  }

  /** Returns the function whose qualified name begins with the target. */
  #namespaced(node: Call, target: Expression): FunctionDeclaration | undefined {
    const prefix = qualifiedName(target)
    if (prefix === undefined) return undefined
    return this.#environment.function(`${plainName(prefix)}.${node.name}`)
  }

  #optionalSelect(node: Call): CelType {
    const [operand, field] = node.arguments
    if (operand === undefined || field?.kind !== 'literal' || typeof field.value !== 'string') return ERROR
    field.type = STRING
    const type = this.#field(node.offset, operand, field.value, 'optional')
    node.overloads = this.#environment.function('_?._')?.overloads ?? []
    return this.#types.resolve(type)
  }

  #resolved(node: Call, declaration: FunctionDeclaration): CelType {
    const args = node.target === undefined ? node.arguments : [node.target, ...node.arguments]
    if (declaration.name === '_&&_' || declaration.name === '_||_') return this.#logical(node, declaration)
    const style = node.target === undefined ? 'global' : 'method'
    const resolution = this.#overloads(declaration, style, args.map(typeOfNode))
    if (resolution !== undefined) {
      node.overloads = resolution.overloads
      return resolution.type
    }
    const [first, ...rest] = args.map((argument) => this.#types.resolve(typeOfNode(argument), 'dyn'))
    const all = first === undefined ? [] : [first, ...rest]
    const signature = style === 'method' ? formatSignature(first, rest) : formatSignature(undefined, all)
    this.#issues.report(node.offset, `found no matching overload for '${declaration.name}' applied to '${signature}'`)
    return ERROR
  }

  #logical(node: Call, declaration: FunctionDeclaration): CelType {
    node.overloads = declaration.overloads
    let type = BOOL
    for (const argument of node.arguments) {
      const actual = typeOfNode(argument)
      if (this.#types.assign(actual, BOOL)) continue
      this.#mismatch(argument.offset, BOOL, actual)
      type = ERROR
    }
    return type
  }

  /** Returns the overloads that accept arguments of these types, and their result type. */
  #overloads(declaration: FunctionDeclaration, style: Overload['style'], args: readonly CelType[]): Resolution | undefined {
    const overloads: Overload[] = []
    let result: CelType | undefined
    for (const overload of declaration.overloads) {
      if (overload.style !== style) continue
      // Type variables are also numbered for overloads with other numbers of arguments, because messages show the numbers.
      const { parameters, type } = this.#instantiate(overload)
      if (!this.#types.assignAll(args, parameters)) continue
      overloads.push(overload)
      const resolved = this.#types.resolve(type)
      if (result === undefined) result = resolved
      else if (!isDyn(result) && !isSameType(resolved, result)) result = DYN
    }
    return result === undefined ? undefined : { type: result, overloads }
  }

  /** Returns the overload's types with fresh type variables. */
  #instantiate(overload: Overload): { readonly parameters: readonly CelType[]; readonly type: CelType } {
    if (!overload.generic) return { parameters: overload.parameters, type: overload.result }
    const fresh = new Map<string, CelType>()
    const instance = (type: CelType): CelType => {
      if (type.kind !== 'param')
        return type.parameters.length === 0 ? type : { ...type, parameters: type.parameters.map(instance) }
      const variable = fresh.get(type.name) ?? this.#types.variable()
      fresh.set(type.name, variable)
      return variable
    }
    return { parameters: overload.parameters.map(instance), type: instance(overload.result) }
  }

  /** Joins the types of elements: dyn if they have no common type. `validate` decides whether that is allowed. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current
    return this.#types.assign(previous, current) ? mostGeneral(previous, current) : DYN
  }

  /** Returns the type of an element. An optional element must have an optional type. */
  #elementType(node: Expression, optional: boolean): CelType {
    const type = typeOfNode(node)
    if (!optional) return type
    const element = optionalElement(type)
    if (element === undefined && !isDyn(type)) this.#mismatch(node.offset, optionalOf(type), type)
    return element ?? type
  }

  #list(node: ListLiteral): CelType {
    let element: CelType | undefined
    for (const { value, optional } of node.elements) {
      this.check(value)
      element = this.#join(element, this.#elementType(value, optional))
    }
    return listOf(element ?? this.#types.variable())
  }

  #map(node: MapLiteral): CelType {
    let keyType: CelType | undefined
    let valueType: CelType | undefined
    for (const { key, value, optional } of node.entries) {
      this.check(key)
      keyType = this.#join(keyType, typeOfNode(key))
      this.check(value)
      valueType = this.#join(valueType, this.#elementType(value, optional))
    }
    return mapOf(keyType ?? this.#types.variable(), valueType ?? this.#types.variable())
  }

  #struct(node: StructLiteral): CelType {
    const found = this.#lookup(node.name)
    if (found === undefined) return this.#undeclared(node.offset, node.name)
    const type = this.#structType(node, found)
    for (const { offset, name, value, optional } of node.fields) {
      this.check(value)
      const fieldType = this.#madeField(offset, type, node.name, name)
      const valueType = this.#elementType(value, optional)
      if (!this.#types.assign(fieldType, valueType)) {
        const types = `is '${formatType(fieldType)}' but provided type is '${formatType(valueType)}'`
        this.#issues.report(offset, `expected type of field '${name}' ${types}`)
      }
    }
    return type
  }

  #madeField(offset: number, type: CelType, typeName: string, field: string): CelType {
    if (type !== ERROR) return this.#declaredField(offset, messageOf(type, typeName), field)
    if (this.#environment.isTypeValue(typeName)) this.#issues.report(offset, `undefined field '${field}'`)
    return ERROR
  }

  #structType(node: StructLiteral, { name, type: named }: { readonly name: string; readonly type: CelType }): CelType {
    if (named.kind === 'error') return ERROR
    const type = named.kind === 'type' ? parameterOf(named, 0) : undefined
    node.name = name
    if (type !== undefined && this.#environment.object(messageOf(type, name)) !== undefined) return type
    const what = type === undefined ? 'type' : 'message type'
    this.#issues.report(node.offset, `'${(type ?? named).name}' is not a ${what}`)
    return ERROR
  }

  #comprehension(node: Comprehension): CelType {
    this.check(node.range)
    this.check(node.initial)
    const accumulator = typeOfNode(node.initial)
    const variables = this.#rangeTypes(node)
    const outer = this.#scope
    const result: Scope = { names: new Map([[node.accumulator, accumulator]]), outer }
    this.#scope = { names: variables, outer: result }
    this.check(node.condition)
    this.#assert(node.condition, BOOL)
    this.check(node.step)
    this.#assert(node.step, accumulator)
    this.#scope = result
    this.check(node.result)
    this.#scope = outer
    return this.#types.resolve(typeOfNode(node.result))
  }

  #assert(node: Expression, expected: CelType): void {
    if (!this.#types.assign(expected, typeOfNode(node))) this.#mismatch(node.offset, expected, typeOfNode(node))
  }

  /** Returns the types of a comprehension's variables, by the type of its range. */
  #rangeTypes(node: Comprehension): ReadonlyMap<string, CelType> {
    const [first, second] = this.#elementTypes(node.range, node.variable2 === undefined ? 'one' : 'two')
    const names = new Map([[node.variable, first]])
    return node.variable2 === undefined ? names : names.set(node.variable2, second)
  }

  #elementTypes(node: Expression, variables: 'one' | 'two'): readonly [CelType, CelType] {
    const range = this.#types.resolve(typeOfNode(node))
    switch (range.kind) {
      case 'list':
        return variables === 'two' ? [INT, parameterOf(range, 0)] : [parameterOf(range, 0), DYN]
      case 'map':
        return [parameterOf(range, 0), parameterOf(range, 1)]
      case 'dyn':
      case 'error':
      case 'param':
        this.#types.assign(DYN, range)
        return [DYN, DYN]
      default: {
        const type = formatType(range)
        this.#issues.report(
          node.offset,
          `expression of type '${type}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
        return [ERROR, ERROR]
      }
    }
  }
}

/** Checks the tree against the environment and annotates it; errors go to `issues`. */
export function check(tree: Expression, environment: Environment, issues: Issues): void {
  const checker = new Checker(environment, issues)
  checker.check(tree)
  checker.finish(tree)
}
