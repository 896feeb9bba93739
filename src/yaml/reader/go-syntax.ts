/** Formats the decoded values of nodes with Go's `%#v`, for error messages about keys. */
import { compareText } from '../../go/text.ts'
import { keySyntax } from './key.ts'
import type { MappingNode, Node } from './node.ts'
import { isMerge, type Scalar, scalarOf } from './resolve.ts'

/** The maximum of characters of a value in a message. */
const MAX_CHARACTERS = 4096

function scalarSyntax(scalar: Scalar): string {
  const { type, value } = scalar
  if (type === 'null') return 'interface {}(nil)'
  return type === 'int' && value >= 2n ** 63n ? `0x${value.toString(16)}` : keySyntax(scalar)
}

/** Collects the entries; merged ones at the position of their merge key. The last of equal keys wins. */
function collect(entries: Map<string, string>, mapping: MappingNode): void {
  for (const [key, value] of mapping.entries) {
    if (!isMerge(key)) entries.set(syntax(key), syntax(value))
    else {
      const merged = value.kind === 'sequence' ? [...value.items].reverse() : [value]
      for (const item of merged) {
        const target = item.kind === 'alias' ? item.target : item
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
 * Formats the value of a node that has already been decoded, so it is known to be finite. Truncates long values. Keys are sorted
 * by their text; Go sorts by type first.
 */
export function goSyntaxOf(node: Node): string {
  const isNull = node.kind === 'scalar' && scalarOf(node).type === 'null'
  return isNull ? '<nil>' : syntax(node).slice(0, MAX_CHARACTERS)
}
