/**
 * Kubernetes' validation of checked expressions: literal arguments must be valid, and elements of a literal must have one type.
 */
import { type Call, childrenOf, type Expression } from './ast.ts'
import type { Environment } from './environment.ts'
import { checkFormat } from './format-check.ts'
import { isConstantlyWrong } from './plan.ts'
import { compileRegex } from './regex.ts'
import type { Issues } from './source.ts'
import { type CelType, DYN, formatType, isSameType, optionalElement, unwrapped } from './types.ts'
import { CelError } from './value.ts'

const typeOfNode = (node: Expression): CelType => node.type ?? DYN

/** Whether the first argument is a literal that the function cannot accept. */
function isWrongCall(call: Call, environment: Environment): boolean {
  const [argument] = call.arguments
  if (argument?.kind !== 'literal') return false
  if (call.name !== 'matches') return isConstantlyWrong(call, environment)
  return typeof argument.value === 'string' && compileRegex(argument.value) instanceof CelError
}

const CHECKED: ReadonlySet<string> = new Set(['duration', 'timestamp', 'matches'])

class Validator {
  readonly #environment: Environment
  readonly #issues: Issues

  constructor(environment: Environment, issues: Issues) {
    this.#environment = environment
    this.#issues = issues
  }

  /** Visits a node. Literals in the arguments of `format` (`within` is 'mixing') may mix types. */
  visit(node: Expression, within: 'mixing' | 'uniform'): void {
    if (within === 'uniform') this.#uniform(node)
    if (node.kind === 'call') this.#call(node)
    const inner = node.kind === 'call' && node.name === 'format' ? 'mixing' : within
    for (const child of childrenOf(node)) this.visit(child, inner)
  }

  #call(node: Call): void {
    const [argument] = node.arguments
    if (CHECKED.has(node.name) && argument !== undefined && isWrongCall(node, this.#environment))
      this.#issues.report(argument.offset, `invalid ${node.name} argument`)
    if (node.name === 'format') checkFormat(node, this.#issues)
  }

  #uniform(node: Expression): void {
    if (node.kind === 'list') {
      const types = node.elements.map(({ value, optional }) => ({ node: value, type: elementType(value, optional) }))
      this.#same(types, 'first')
    }
    if (node.kind !== 'map') return
    this.#same(
      node.entries.map(({ key }) => ({ node: key, type: typeOfNode(key) })),
      'all',
    )
    this.#same(
      node.entries.map(({ value, optional }) => ({ node: value, type: elementType(value, optional) })),
      'all',
    )
  }

  /** Reports nodes with another type than the first one: only the first such node, or all. */
  #same(nodes: readonly { readonly node: Expression; readonly type: CelType }[], report: 'first' | 'all'): void {
    const expected = nodes[0]?.type
    if (expected === undefined) return
    const wrong = nodes.filter(({ type }) => !isSameType(unwrapped(expected), unwrapped(type), 'equivalent'))
    for (const { node, type } of report === 'first' ? wrong.slice(0, 1) : wrong)
      this.#issues.report(node.offset, `expected type '${formatType(expected)}' but found '${formatType(type)}'`)
  }
}

function elementType(value: Expression, optional: boolean): CelType {
  const type = typeOfNode(value)
  return optional ? (optionalElement(type) ?? type) : type
}

/** Reports the violations of a checked tree. */
export function validate(tree: Expression, environment: Environment, issues: Issues): void {
  new Validator(environment, issues).visit(tree, environment.literals === 'mixed' ? 'mixing' : 'uniform')
}
