/** Checks literal formats against the types of their arguments at compile time. */
import type { Call, Expression } from './ast.ts'
import { type Clause, type ClauseKind, FormatProblem, runFormat, wrongType } from './format.ts'
import type { Issues } from './source.ts'
import { type CelType, DYN, type Kind } from './types.ts'

/** The types that a clause accepts. */
const TAKES: Readonly<Record<ClauseKind, readonly Kind[]>> = {
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
}

const typeOfNode = (node: Expression): CelType => node.type ?? DYN

/** Returns the first node that the clause does not accept; for a string clause also within literals. */
function misfit(kind: ClauseKind, node: Expression): Expression | undefined {
  const type = typeOfNode(node)
  if (type.kind !== 'dyn' && !TAKES[kind].includes(type.kind)) return node
  if (kind !== 's') return undefined
  if (node.kind === 'list') return firstMisfit(node.elements.map(({ value }) => value))
  return node.kind === 'map' ? firstMisfit(node.entries.flatMap(({ key, value }) => [key, value])) : undefined
}

function firstMisfit(nodes: readonly Expression[]): Expression | undefined {
  for (const node of nodes) {
    const found = misfit('s', node)
    if (found !== undefined) return found
  }
  return undefined
}

/** Reports errors in a call of `format` on a literal with a list literal. */
export function checkFormat(node: Call, issues: Issues): void {
  const { target, offset } = node
  const [args] = node.arguments
  if (target?.kind !== 'literal' || typeof target.value !== 'string' || args?.kind !== 'list') return
  const values = args.elements.map(({ value }) => value)
  let at = offset
  const check = (clause: Clause, index: number): string | FormatProblem => {
    const argument = values[index]
    const found = argument === undefined ? undefined : misfit(clause.kind, argument)
    if (found === undefined) return ''
    at = found.offset
    return wrongType(clause.kind, typeOfNode(found).name)
  }
  const result = runFormat(target.value, values.length, check)
  if (result instanceof FormatProblem) issues.report(at, result.message)
  else if (values.length > result.used)
    issues.report(offset, `too many arguments supplied to string.format (expected ${result.used}, got ${values.length})`)
}
