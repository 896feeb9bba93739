/** Finds functions and variables in code. */
import { parseSync, Visitor } from 'oxc-parser'

interface Lines {
  /** The first line, counted from 1. */
  readonly line: number
  /** The number of lines. */
  readonly lines: number
}

interface Code {
  readonly functions: readonly Lines[]
  /** The lines of the variables of the module that can be assigned again. */
  readonly variables: readonly number[]
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Returns the functions of a file and its module-level `let`. */
export function codeOf(path: string, text: string): Code {
  const { program } = parseSync(path, text)
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length
  const spanOf = ({ start, end }: Span): Lines => ({ line: lineAt(start), lines: lineAt(end) - lineAt(start) + 1 })
  const functions: Lines[] = []
  const add = (node: Span): void => {
    functions.push(spanOf(node))
  }
  new Visitor({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add }).visit(program)
  const declarations = program.body.map((node) => (node.type === 'ExportNamedDeclaration' ? (node.declaration ?? node) : node))
  const variables = declarations.filter((node) => node.type === 'VariableDeclaration' && node.kind === 'let')
  return { functions, variables: variables.map(({ start }) => lineAt(start)) }
}
