/** Makes calls for the parser and expands macros. */
import type { Expression } from './ast.ts'
import { BadMacro, type Macro, Nodes } from './macros.ts'
import type { Issues } from './source.ts'

/** The macros of an environment by name, style and number of arguments. */
export type Macros = ReadonlyMap<string, Macro>

/** Returns the key of a macro in Macros. */
export function macroKey(name: string, argumentCount: number | 'any', style: Macro['style']): string {
  return `${name}:${argumentCount}:${style}`
}

/** Returns a call, or the expansion of its macro. An invalid macro call is reported and becomes a placeholder. */
export function callOrMacro(
  macros: Macros,
  issues: Issues,
  offset: number,
  name: string,
  target: Expression | undefined,
  args: readonly Expression[],
): Expression {
  const style = target === undefined ? 'global' : 'method'
  const macro = macros.get(macroKey(name, args.length, style)) ?? macros.get(macroKey(name, 'any', style))
  const nodes = new Nodes(offset)
  const expanded = macro?.expand(nodes, target ?? nodes.literal(null), args)
  if (expanded === undefined) return { kind: 'call', offset, name, target, arguments: args }
  if (!(expanded instanceof BadMacro)) return expanded
  issues.report(expanded.offset, expanded.message)
  return { kind: 'unreadable', offset: expanded.offset }
}
