/** Calls as a parser makes them: those of macros are expanded. */
import type { Expression } from './ast.ts'
import { BadMacro, type Macro, Nodes } from './macros.ts'
import type { Issues } from './source.ts'

/** The macros of an environment by name, style and number of arguments. */
export type Macros = ReadonlyMap<string, Macro>

/** How Macros names a macro. */
export function macroKey(name: string, argumentCount: number | 'any', style: Macro['style']): string {
  return `${name}:${argumentCount}:${style}`
}

/** A call, or what its macro makes of it. Where that cannot be, it is reported and nothing readable comes of it. */
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
