/** Nodes as Go's `%#v` shows what they become: messages about keys contain it. */
import { compareText } from '../../go/text.ts'
import { keySyntax } from './key.ts'
import type { MappingNode, Node } from './node.ts'
import { isMerge, type Scalar, scalarOf } from './resolve.ts'

/** How many characters of a value a message shows. */
const shownCharacters = 4096

function scalarSyntax(scalar: Scalar): string {
  const { type, value } = scalar
  if (type === 'null') return 'interface {}(nil)'
  return type === 'int' && value >= 2n ** 63n ? `0x${value.toString(16)}` : keySyntax(scalar)
}

/** The entries, merged ones where their key stands. Of equal keys the last counts. */
function collect(entries: Map<string, string>, mapping: MappingNode): void {
  for (const [key, value] of mapping.entries) {
    if (!isMerge(key)) entries.set(syntax(key), syntax(value))
    else {
      const merged = value.kind === 'sequence' ? [...value.items].reverse() : [value]
      for (const one of merged) {
        const target = one.kind === 'alias' ? one.target : one
        if (target.kind === 'mapping') collect(entries, target)
      }
    }
  }
}

function mappingSyntax(mapping: MappingNode): string {
  const entries = new Map<string, string>()
  collect(entries, mapping)
  const sorted = [...entries].sort(([a], [b]) => compareText(a, b))
  return `map[interface {}]interface {}{${sorted.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

function syntax(node: Node): string {
  if (node.kind === 'scalar') return scalarSyntax(scalarOf(node))
  if (node.kind === 'alias') return syntax(node.target)
  return node.kind === 'mapping' ? mappingSyntax(node) : `[]interface {}{${node.items.map(syntax).join(', ')}}`
}

/**
 * The value of a node that has been read already, so that it is known to end. Long ones are cut.
 * Keys are in the order of their text, where Go goes by type first.
 */
export function goSyntaxOf(node: Node): string {
  const isNull = node.kind === 'scalar' && scalarOf(node).type === 'null'
  return isNull ? '<nil>' : syntax(node).slice(0, shownCharacters)
}
