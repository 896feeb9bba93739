/** The expansion of macros. */
import {
  type Call,
  type Comprehension,
  childrenOf,
  type Element,
  type Expression,
  type Identifier,
  type ListLiteral,
  type Literal,
  type MapLiteral,
  type Select,
} from './ast.ts'
import type { Value } from './value.ts'

/** The error of an invalid macro call, with its position. */
export class BadMacro {
  readonly offset: number
  readonly message: string

  constructor(offset: number, message: string) {
    this.offset = offset
    this.message = message
  }
}

/** The name of a fold's result variable; expressions cannot spell it. */
export const ACCUMULATOR = '@result'

/** The name of iteration variables that are not used. */
const UNUSED = '#unused'

/** Makes the nodes of an expansion, all at the offset of the call. */
export class Nodes {
  readonly offset: number

  constructor(offset: number) {
    this.offset = offset
  }

  literal(value: Value): Literal {
    return { kind: 'literal', offset: this.offset, value }
  }

  identifier(name: string): Identifier {
    return { kind: 'identifier', offset: this.offset, name }
  }

  accumulator(): Identifier {
    return this.identifier(ACCUMULATOR)
  }

  call(name: string, ...args: readonly Expression[]): Call {
    return { kind: 'call', offset: this.offset, name, target: undefined, arguments: args }
  }

  method(name: string, target: Expression, ...args: readonly Expression[]): Call {
    return { kind: 'call', offset: this.offset, name, target, arguments: args }
  }

  list(...values: readonly Expression[]): ListLiteral {
    const elements = values.map((value): Element => ({ value, optional: false }))
    return { kind: 'list', offset: this.offset, elements }
  }

  emptyMap(): MapLiteral {
    return { kind: 'map', offset: this.offset, entries: [] }
  }

  /** Makes a test of the field's presence. */
  test(select: Select): Select {
    return { kind: 'select', offset: this.offset, operand: select.operand, field: select.field, test: true }
  }

  fold(fold: Omit<Comprehension, 'kind' | 'offset' | 'type'>): Comprehension {
    return { kind: 'comprehension', offset: this.offset, ...fold }
  }

  /** Binds a name in `result` to a value that is computed once, on first use. */
  bind(name: string, value: Expression, result: Expression): Comprehension {
    return this.fold({
      range: this.list(),
      variable: UNUSED,
      variable2: undefined,
      accumulator: name,
      initial: value,
      condition: this.literal(false),
      step: this.identifier(name),
      result,
    })
  }
}

/** Expands a call; undefined if the call does not match the macro after all. */
export type Expander = (nodes: Nodes, target: Expression, args: readonly Expression[]) => Expression | BadMacro | undefined

/** A macro: a call with this name and number of arguments, global or with a target. */
export interface Macro {
  readonly name: string
  readonly style: 'global' | 'method'
  readonly argumentCount: number | 'any'
  readonly expand: Expander
}

const nowhere: Literal = { kind: 'literal', offset: -1, value: null }

/** Returns an argument by index. It exists, because macros are found by their number of arguments. */
export function argumentAt(args: readonly Expression[], index: number): Expression {
  return args[index] ?? nowhere
}

/** Returns the identifier that an argument must be, or an error with this message. */
function nameOf(argument: Expression, otherwise: string): string | BadMacro {
  if (argument.kind !== 'identifier') return new BadMacro(argument.offset, otherwise)
  if (argument.name === ACCUMULATOR || argument.name === '__result__')
    return new BadMacro(argument.offset, 'iteration variable overwrites accumulator variable')
  return argument.name
}

interface Variables {
  readonly variable: string
  readonly variable2: string | undefined
}

type ReadVariables = (args: readonly Expression[]) => Variables | BadMacro

const oneVariable =
  (otherwise: string): ReadVariables =>
  (args) => {
    const variable = nameOf(argumentAt(args, 0), otherwise)
    return variable instanceof BadMacro ? variable : { variable, variable2: undefined }
  }

const SIMPLE_NAME = 'argument must be a simple name'

const twoVariables: ReadVariables = (args) => {
  const [first, second] = [argumentAt(args, 0), argumentAt(args, 1)]
  for (const argument of [first, second]) if (argument.kind !== 'identifier') return new BadMacro(argument.offset, SIMPLE_NAME)
  const variable = nameOf(first, SIMPLE_NAME)
  const variable2 = nameOf(second, SIMPLE_NAME)
  if (first.kind === 'identifier' && second.kind === 'identifier' && first.name === second.name)
    return new BadMacro(second.offset, `duplicate variable name: ${first.name}`)
  if (variable instanceof BadMacro) return variable
  return variable2 instanceof BadMacro ? variable2 : { variable, variable2 }
}

/** The parts of a fold that depend on the macro. */
type Parts = Pick<Comprehension, 'initial' | 'condition' | 'step' | 'result'>

/** Makes a macro that folds its target: `parts` gets the arguments after the variables. */
function folding(
  name: string,
  argumentCount: number,
  variables: { readonly read: ReadVariables; readonly count: number },
  parts: (nodes: Nodes, args: readonly Expression[], names: Variables, argument: Expression) => Parts,
): Macro {
  const expand: Expander = (nodes, target, args) => {
    const names = variables.read(args)
    if (names instanceof BadMacro) return names
    const made = parts(nodes, args.slice(variables.count), names, argumentAt(args, 0))
    return nodes.fold({ range: target, ...names, accumulator: ACCUMULATOR, ...made })
  }
  return { name, style: 'method', argumentCount, expand }
}

const all = (nodes: Nodes, args: readonly Expression[]): Parts => ({
  initial: nodes.literal(true),
  condition: nodes.call('@not_strictly_false', nodes.accumulator()),
  step: nodes.call('_&&_', nodes.accumulator(), argumentAt(args, 0)),
  result: nodes.accumulator(),
})

const exists = (nodes: Nodes, args: readonly Expression[]): Parts => ({
  initial: nodes.literal(false),
  condition: nodes.call('@not_strictly_false', nodes.call('!_', nodes.accumulator())),
  step: nodes.call('_||_', nodes.accumulator(), argumentAt(args, 0)),
  result: nodes.accumulator(),
})

const existsOne = (nodes: Nodes, args: readonly Expression[]): Parts => ({
  initial: nodes.literal(0),
  condition: nodes.literal(true),
  step: nodes.call('_?_:_', argumentAt(args, 0), nodes.call('_+_', nodes.accumulator(), nodes.literal(1)), nodes.accumulator()),
  result: nodes.call('_==_', nodes.accumulator(), nodes.literal(1)),
})

/** Makes a step that is taken only if the filter, if given, is true. */
const filtered = (nodes: Nodes, filter: Expression | undefined, step: Expression): Expression =>
  filter === undefined ? step : nodes.call('_?_:_', filter, step, nodes.accumulator())

const collecting = (nodes: Nodes, initial: Expression, step: Expression): Parts => ({
  initial,
  condition: nodes.literal(true),
  step,
  result: nodes.accumulator(),
})

/** Makes the parts for `[filter,] transform`: a list of the transformed elements. */
const transformList = (nodes: Nodes, args: readonly Expression[]): Parts => {
  const [first, second] = args
  const [filter, transform] = second === undefined ? [undefined, first] : [first, second]
  const step = nodes.call('_+_', nodes.accumulator(), nodes.list(transform ?? nowhere))
  return collecting(nodes, nodes.list(), filtered(nodes, filter, step))
}

const filter = (nodes: Nodes, args: readonly Expression[], _names: Variables, element: Expression): Parts => {
  const step = nodes.call('_+_', nodes.accumulator(), nodes.list(element))
  return collecting(nodes, nodes.list(), filtered(nodes, argumentAt(args, 0), step))
}

/** Makes the parts for `[filter,] transform`: a map of the transformed values under their keys, or of new entries. */
const transformMap =
  (what: 'value' | 'entry') =>
  (nodes: Nodes, args: readonly Expression[], names: Variables): Parts => {
    const [first, second] = args
    const [condition, transform = nowhere] = second === undefined ? [undefined, first] : [first, second]
    const inserted = what === 'value' ? [nodes.identifier(names.variable), transform] : [transform]
    const step = nodes.call('cel.@mapInsert', nodes.accumulator(), ...inserted)
    return collecting(nodes, nodes.emptyMap(), filtered(nodes, condition, step))
  }

const has: Macro = {
  name: 'has',
  style: 'global',
  argumentCount: 1,
  expand: (nodes, _target, args) => {
    const field = argumentAt(args, 0)
    return field.kind === 'select' ? nodes.test(field) : new BadMacro(field.offset, 'invalid argument to has() macro')
  },
}

const one = { read: oneVariable(SIMPLE_NAME), count: 1 }
const oneIdentifier = { read: oneVariable('argument is not an identifier'), count: 1 }
const two = { read: twoVariables, count: 2 }

const MAP = folding('map', 2, oneIdentifier, transformList)

/** The macros of the language. */
export const STANDARD_MACROS: readonly Macro[] = [
  has,
  folding('all', 2, one, all),
  folding('exists', 2, one, exists),
  folding('exists_one', 2, one, existsOne),
  MAP,
  folding('map', 3, oneIdentifier, transformList),
  folding('filter', 2, oneIdentifier, filter),
]

/** The macros with two variables: index or key, and element or value. */
export const TWO_VARIABLE_MACROS: readonly Macro[] = [
  folding('all', 3, two, all),
  folding('exists', 3, two, exists),
  folding('exists_one', 3, two, existsOne),
  folding('existsOne', 3, two, existsOne),
  ...[3, 4].flatMap((count) => [
    folding('transformList', count, two, transformList),
    folding('transformMap', count, two, transformMap('value')),
    folding('transformMapEntry', count, two, transformMap('entry')),
  ]),
]

/** Returns the number of nodes of an expression; shared nodes count each time. */
function weightOf(node: Expression): number {
  const known = WEIGHTS.get(node)
  if (known !== undefined) return known
  const weight = childrenOf(node).reduce((sum, child) => sum + weightOf(child), 1)
  WEIGHTS.set(node, weight)
  return weight
}

const WEIGHTS = new WeakMap<Expression, number>()

const MAX_WEIGHT = 100_000

const optional = (name: string, wrap: (nodes: Nodes, value: Expression) => Expression): Macro => ({
  name,
  style: 'method',
  argumentCount: 2,
  expand: (nodes, target, args) => {
    const variable = argumentAt(args, 0)
    if (variable.kind !== 'identifier')
      return new BadMacro(variable.offset, `${name}() variable name must be a simple identifier`)
    // The expansion contains the target twice, so that a chain of calls doubles with each call.
    if (weightOf(target) > MAX_WEIGHT) return new BadMacro(nodes.offset, 'expression is too large')
    const bound = nodes.bind(variable.name, nodes.method('value', target), argumentAt(args, 1))
    return nodes.call('_?_:_', nodes.method('hasValue', target), wrap(nodes, bound), nodes.call('optional.none'))
  },
})

/** The macros of optional values. */
export const OPTIONAL_MACROS: readonly Macro[] = [
  optional('optMap', (nodes, value) => nodes.call('optional.of', value)),
  optional('optFlatMap', (_nodes, value) => value),
]

/** `list.sortBy(e, key)`: sorts a list by keys. */
export const SORT_BY: Macro = {
  name: 'sortBy',
  style: 'method',
  argumentCount: 2,
  expand: (nodes, target, args) => {
    const name = '@__sortBy_input__'
    if (['literal', 'map', 'struct'].includes(target.kind)) {
      const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression'
      return new BadMacro(target.offset, message)
    }
    const keys = MAP.expand(nodes, nodes.identifier(name), args)
    if (keys === undefined || keys instanceof BadMacro) return keys
    return nodes.bind(name, target, nodes.method('@sortByAssociatedKeys', nodes.identifier(name), keys))
  },
}
